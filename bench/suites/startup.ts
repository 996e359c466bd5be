/** From the start of a program to its first answer, and what there is to load. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { EXTENSION, measure } from "../../tools/size.ts";
import { bundle, type Programs } from "../harness/build.ts";
import { type FirstAnswer, firstAnswer } from "../harness/first_answer.ts";
import { pinned, quietEnvironment } from "../harness/pinning.ts";
import { type Rounds, type Row, type RowHead, rowOf } from "../harness/rows.ts";
import type { Runtime } from "../harness/runtimes.ts";
import type { Suite, SuiteOptions } from "./suite.ts";

const root = resolve(import.meta.dirname, "../..");

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly question: string;
}

const initialize = line("initialize", { version: "0.1.0", cwd: "/" });
const mcpInitialize = line("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1.0.0" },
});
const execute = line("tools/execute", { toolName: "echo", input: { text: "first" } });

function line(method: string, params: unknown): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`;
}

/** One program of ours, beside the least one that answers, made in the same way. */
interface Start {
  readonly what: string;
  readonly ours: Program;
  readonly limit: Program;
}

export const startup: Suite = async (options) => {
  const { runtime } = options;
  const folder = mkdtempSync(join(tmpdir(), "extwire-bench-"));
  try {
    const programs = await bundle([
      "ours/stdio_child",
      "limit/hello_child",
      "peers/vscode_stdio_child",
      "peers/mcp_stdio_child",
      "peers/json_rpc_stdio_child",
      "ours/import_library",
      "ours/library",
      "limit/empty",
    ]);
    const rows = await answerRows(starts(programs, runtime, folder), peerPrograms(programs, runtime), options);
    rows.push(...importRows(programs, options));
    if (runtime.kind === "node") rows.push(...(await sizeRows(runtime)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

function starts(programs: Programs, { kind, command, args }: Runtime, folder: string): Start[] {
  const extension = ["extension", "dhara"];
  const question = initialize;
  const limit = { command, args: [...args, programs.path("limit/hello_child")], question };
  const sdk = { command, args: [...args, programs.path("ours/stdio_child")], question };
  const found: Start[] = [{ what: "the SDK", ours: sdk, limit }];
  const oneFile = join(root, "dist/extwire.js");
  if (existsSync(oneFile)) {
    found.push({ what: "the one file", ours: { command, args: [...args, oneFile, ...extension], question }, limit });
  }
  const executable = join(root, "dist/extwire");
  if (kind === "bun" && existsSync(executable)) {
    const least = join(folder, "least");
    const flags = ["build", "--compile", "--bytecode", "--format=esm", `--outfile=${least}`];
    execFileSync(command, [...flags, programs.path("limit/hello_child")], { stdio: "ignore" });
    found.push({
      what: "the executable",
      ours: { command: executable, args: extension, question },
      limit: { command: least, args: [], question },
    });
  }
  return found;
}

function peerPrograms(programs: Programs, { command, args }: Runtime): Readonly<Record<string, Program>> {
  const on = (bundled: string, question: string): Program => ({
    command,
    args: [...args, programs.path(`peers/${bundled}`)],
    question,
  });
  return {
    "vscode-jsonrpc": on("vscode_stdio_child", `Content-Length: ${execute.length}\r\n\r\n${execute}`),
    "MCP SDK": on("mcp_stdio_child", mcpInitialize),
    "json-rpc-2.0": on("json_rpc_stdio_child", execute),
  };
}

/** Each program is started once a round, and what it took stands in every row that it belongs to. */
async function answerRows(
  started: readonly Start[],
  peers: Readonly<Record<string, Program>>,
  { runtime, quick }: SuiteOptions,
): Promise<Row[]> {
  const rounds = quick ? 9 : 31;
  const programs = new Set([...started.flatMap(({ ours, limit }) => [ours, limit]), ...Object.values(peers)]);
  const answers = new Map<Program, FirstAnswer[]>([...programs].map((program) => [program, []]));
  // The first round fills the page cache.
  for (let round = -1; round < rounds; round++) {
    for (const [{ command, args, question }, taken] of answers) {
      const answer = await firstAnswer(command, args, question);
      if (round >= 0) taken.push(answer);
    }
  }
  const head: Omit<RowHead, "case"> = { suite: "startup", runtime: runtime.name, unit: "ms", better: "lower" };
  return started.flatMap(({ what, ours, limit }) => {
    const contenders = Object.entries({ ours, limit, ...peers });
    const values = (of: keyof FirstAnswer): Rounds =>
      Object.fromEntries(contenders.map(([name, program]) => [name, answers.get(program)!.map((each) => each[of])]));
    return [
      rowOf({ ...head, case: `first answer of ${what}` }, values("wall")),
      rowOf({ ...head, case: `first answer of ${what}, CPU` }, values("cpu")),
    ];
  });
}

/** Above what it costs to import a module with nothing in it. */
function importRows(programs: Programs, { runtime, quick }: SuiteOptions): Row[] {
  const modules = {
    "the library, bundled": programs.path("ours/library"),
    "the package's modules": join(root, "dist/mod.js"),
  };
  const there = Object.entries(modules).filter(([, path]) => existsSync(path));
  const over = new Map<string, number[]>(there.map(([name]) => [name, []]));
  for (let round = 0; round < (quick ? 7 : 31); round++) {
    const empty = importCpuMs(programs.path("limit/empty"), programs, runtime);
    for (const [name, path] of there) over.get(name)!.push(importCpuMs(path, programs, runtime) - empty);
  }
  const head: Omit<RowHead, "case"> = { suite: "startup", runtime: runtime.name, unit: "ms CPU", better: "lower" };
  return [...over].map(([name, ours]) => rowOf({ ...head, case: `import of ${name}` }, { ours }));
}

function importCpuMs(path: string, programs: Programs, runtime: Runtime): number {
  const [file, ...args] = pinned([runtime.command, ...runtime.args, programs.path("ours/import_library"), path]);
  return Number(execFileSync(file as string, args, { env: quietEnvironment(), encoding: "utf8" }));
}

/** What a bundler makes of an extension's only imports. */
async function sizeRows(runtime: Runtime): Promise<Row[]> {
  const { name, minified, gzipped } = await measure(EXTENSION);
  const row = (how: string, size: number): Row => {
    const head = { suite: "startup", runtime: runtime.name, case: `${name}, ${how}`, unit: "KB", better: "lower" };
    return rowOf(head as RowHead, { ours: [size / 1000] } satisfies Rounds);
  };
  return [row("minified", minified), row("minified and gzipped", gzipped)];
}
