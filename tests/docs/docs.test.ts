/** Everything the documents show is run: programs, terminal sessions, Python, data, bytes, and the examples in doc comments. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, test } from "node:test";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { parseManifests } from "../../src/host/manifest_file.ts";
import { importGraph } from "../../tools/architecture.ts";
import { ROOT } from "../../tools/bundle.ts";
import { NO_PYTHON, PYTHON } from "../support/python.ts";
import { type Block, commentBlocks, markdownBlocks, place } from "./blocks.ts";
import { ENTRIES, execute, Programs } from "./programs.ts";
import { makeSandbox, type Sandbox } from "./sandbox.ts";
import { runSession } from "./sessions.ts";
import { checkBytes, jsonTexts } from "./wire.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const documents = new Map(documentPaths().map((path) => [path, markdownBlocks(path, read(path))]));
const comments = sourcePaths().flatMap((path) => commentBlocks(path, read(path)));
const everything = [...[...documents.values()].flat(), ...comments];
const programBlocks = everything.filter(({ language }) => language === "ts");

let programs: Programs;

before(() => {
  programs = new Programs(programBlocks);
});

test("every TypeScript example type-checks", () => {
  assert.deepEqual(programs.typeFaults(), []);
});

for (const [path, blocks] of documents) {
  describe(path, () => {
    let sandbox: Sandbox;
    before(() => {
      sandbox = makeSandbox(path.replace(/\W+/g, "_"));
    });
    blocks.forEach((block, i) => {
      test(name(block), options(block), () => runBlock(block, blocks.slice(i + 1), sandbox));
    });
  });
}

describe("doc comments", () => {
  let sandbox: Sandbox;
  before(() => {
    sandbox = makeSandbox("comments");
  });
  for (const block of comments) {
    test(name(block), options(block), () => runBlock(block, [], sandbox));
  }
});

/** The marker in the text is the reason. */
function options(block: Block): { skip: string | false } {
  const needsPython = block.language === "python" || /\bpython3?\b/.test(block.text);
  return { skip: block.notRun ?? (needsPython && NO_PYTHON) };
}

async function runBlock(block: Block, later: readonly Block[], sandbox: Sandbox): Promise<void> {
  const file = block.words.find((word) => word.startsWith("file="))?.slice("file=".length);
  if (file !== undefined) {
    const target = join(sandbox.folder, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${block.text}\n`);
    assert.ok(
      later.some(({ language, text }) => language === "console" && text.includes(file.split("/")[0]!)),
      `${file} is shown and nothing uses it`,
    );
    return;
  }
  switch (block.language) {
    case "ts":
      return succeed(await programs.run(block, sandbox.folder));
    case "python":
      return succeed(await execute(PYTHON, ["-c", block.text], { cwd: sandbox.folder, env: sandbox.env }));
    case "sh":
      return succeed(await execute("sh", ["-ec", block.text], { cwd: sandbox.folder, env: sandbox.env }));
    case "console":
      return runSession(block.text, sandbox, block.words.includes("unordered"));
    case "hex":
      return checkBytes(block, later[0]);
    case "json":
    case "yaml":
    case "toml":
      return checkData(block);
    case "text":
      return;
    default:
      assert.fail(
        `nothing here runs ${block.language || "a block without a language"}: use text, or \`not run: reason\``,
      );
  }
}

function checkData(block: Block): void {
  if (block.words.includes("manifest")) parseManifests(block.text, `${place(block)}.${block.language}`);
  else if (block.language === "yaml") parseYaml(block.text);
  else if (block.language === "toml") parseToml(block.text);
  else for (const text of jsonTexts(block)) JSON.parse(text);
}

function succeed({ code, output }: { code: number | null; output: string }): void {
  assert.equal(code, 0, `it exited with ${code}:\n${output}`);
}

function name(block: Block): string {
  return `${place(block)} ${[block.language, ...block.words].join(" ")}`;
}

function documentPaths(): string[] {
  const inFolder = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  return [
    "README.md",
    "CONTRIBUTING.md",
    ...inFolder.filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`),
  ].sort();
}

/** All that the package's entries reach. */
function sourcePaths(): string[] {
  const files = new Map<string, string>();
  const open = Object.values(ENTRIES);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (files.has(path)) continue;
    files.set(path, read(path));
    open.push(
      ...(importGraph(new Map([[path, files.get(path)!]])).get(path) ?? []).filter((file) => file.endsWith(".ts")),
    );
  }
  return [...files.keys()].sort();
}
