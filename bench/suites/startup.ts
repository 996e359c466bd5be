/** From the start of a program to its first answer, and what there is to load. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { bundle, type Programs } from "../harness/build.ts";
import { firstAnswer } from "../harness/first_answer.ts";
import { pinned, quietEnvironment } from "../harness/pinning.ts";
import { type Rounds, type Row, type RowHead, rowOf } from "../harness/rows.ts";
import type { Runtime } from "../harness/runtimes.ts";
import type { Suite, SuiteOptions } from "./suite.ts";

const root = resolve(import.meta.dirname, "../..");

interface Program {
  readonly name: string;
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

export const startup: Suite = async (options) => {
  const { runtime } = options;
  const names = ["ours/stdio_child", "limit/hello_child", "peers/vscode_stdio_child", "peers/mcp_stdio_child"];
  const programs = await bundle([
    ...names,
    "peers/json_rpc_stdio_child",
    "ours/import_library",
    "ours/library",
    "limit/empty",
  ]);
  const on = (name: string, bundled: string, question: string): Program => ({
    name,
    command: runtime.command,
    args: [...runtime.args, programs.path(bundled)],
    question,
  });
  const bare = on("limit", "limit/hello_child", initialize);
  const peers = [
    on("vscode-jsonrpc", "peers/vscode_stdio_child", `Content-Length: ${execute.length}\r\n\r\n${execute}`),
    on("MCP SDK", "peers/mcp_stdio_child", mcpInitialize),
    on("json-rpc-2.0", "peers/json_rpc_stdio_child", execute),
  ];
  const rows = await answerRows("the SDK", [on("ours", "ours/stdio_child", initialize), bare, ...peers], options);
  const oneFile = join(root, "dist/extwire.js");
  if (existsSync(oneFile)) {
    const args = [...runtime.args, oneFile, "extension", "dhara"];
    const ours: Program = { name: "ours", command: runtime.command, args, question: initialize };
    rows.push(...(await answerRows("the one file", [ours, bare], options)));
  }
  const executable = join(root, "dist/extwire");
  if (runtime.kind === "bun" && existsSync(executable)) {
    rows.push(...(await executableRows(executable, programs, peers, options)));
  }
  rows.push(...importRows(programs, options));
  if (runtime.kind === "node") rows.push(...(await sizeRows(runtime)));
  return rows;
};

async function answerRows(
  what: string,
  contenders: readonly Program[],
  { runtime, quick }: SuiteOptions,
): Promise<Row[]> {
  const rounds = quick ? 9 : 31;
  const wall: Record<string, number[]> = {};
  const cpu: Record<string, number[]> = {};
  // The first round fills the page cache.
  for (let round = -1; round < rounds; round++) {
    for (const { name, command, args, question } of contenders) {
      const answer = await firstAnswer(command, args, question);
      if (round < 0) continue;
      (wall[name] ??= [])[round] = answer.wall;
      (cpu[name] ??= [])[round] = answer.cpu;
    }
  }
  const head: Omit<RowHead, "case" | "unit"> = { suite: "startup", runtime: runtime.name, better: "lower" };
  return [
    rowOf({ ...head, case: `first answer of ${what}`, unit: "ms" }, wall),
    rowOf({ ...head, case: `first answer of ${what}, CPU`, unit: "ms" }, cpu),
  ];
}

/** Beside the least program that answers, compiled in the same way. */
async function executableRows(
  executable: string,
  programs: Programs,
  peers: readonly Program[],
  options: SuiteOptions,
): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "extwire-bench-"));
  try {
    const least = join(folder, "least");
    const flags = ["build", "--compile", "--bytecode", "--format=esm", `--outfile=${least}`];
    execFileSync(options.runtime.command, [...flags, programs.path("limit/hello_child")], { stdio: "ignore" });
    const contenders: Program[] = [
      { name: "ours", command: executable, args: ["extension", "dhara"], question: initialize },
      { name: "limit", command: least, args: [], question: initialize },
      ...peers,
    ];
    return await answerRows("the executable", contenders, options);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Above what it costs to import a module with nothing in it. */
function importRows(programs: Programs, { runtime, quick }: SuiteOptions): Row[] {
  const modules = {
    "the library, bundled": programs.path("ours/library"),
    "the package's modules": join(root, "dist/mod.js"),
  };
  const rows: Row[] = [];
  for (const [name, path] of Object.entries(modules)) {
    if (!existsSync(path)) continue;
    const over: number[] = [];
    for (let round = 0; round < (quick ? 7 : 31); round++) {
      over.push(importCpuMs(path, programs, runtime) - importCpuMs(programs.path("limit/empty"), programs, runtime));
    }
    const head = { suite: "startup", runtime: runtime.name, case: `import of ${name}`, unit: "ms CPU" } as const;
    rows.push(rowOf({ ...head, better: "lower" }, { ours: over }));
  }
  return rows;
}

function importCpuMs(path: string, programs: Programs, runtime: Runtime): number {
  const [file, ...args] = pinned([runtime.command, ...runtime.args, programs.path("ours/import_library"), path]);
  return Number(execFileSync(file as string, args, { env: quietEnvironment(), encoding: "utf8" }));
}

/** What a bundler makes of an extension's only imports. */
async function sizeRows(runtime: Runtime): Promise<Row[]> {
  const contents = `import { defineExtension, text } from "./mod.ts";
import { serve } from "./src/adapters/node_serve.ts";
serve(defineExtension({ name: "hello", version: "1.0.0", tools: [{ name: "greet", description: "", inputSchema: { type: "object" }, execute: () => text("hello") }] }));`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    legalComments: "none",
    external: ["*/validator.ts"],
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array(0);
  const row = (name: string, size: number): Row =>
    rowOf(
      {
        suite: "startup",
        runtime: runtime.name,
        case: `an extension with the SDK, ${name}`,
        unit: "KB",
        better: "lower",
      },
      { ours: [size / 1000] } satisfies Rounds,
    );
  return [row("minified", bytes.length), row("minified and gzipped", gzipSync(bytes, { level: 9 }).length)];
}
