/** Does with a block what its language asks for. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { parseManifests } from "../../src/host/manifest_file.ts";
import { NO_PYTHON, PYTHON } from "../support/python.ts";
import { type Block, place } from "./blocks.ts";
import { execute, type Programs } from "./programs.ts";
import type { Sandbox } from "./sandbox.ts";
import { runSession } from "./sessions.ts";
import { checkBytes, jsonTexts } from "./wire.ts";

export function nameOf(block: Block): string {
  return `${place(block)} ${[block.language, ...block.words].join(" ")}`;
}

/** The marker in the text is the reason. */
export function optionsOf(block: Block): { skip: string | false } {
  const needsPython = block.language === "python" || /\bpython3?\b/.test(block.text);
  return { skip: block.notRun ?? (needsPython && NO_PYTHON) };
}

/** `later` are the blocks behind it in its document. */
export async function runBlock(
  block: Block,
  later: readonly Block[],
  { programs, sandbox }: { programs: Programs; sandbox: Sandbox },
): Promise<void> {
  const file = block.words.find((word) => word.startsWith("file="))?.slice("file=".length);
  if (file !== undefined) return write(file, block, later, sandbox);
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

function write(file: string, block: Block, later: readonly Block[], { folder }: Sandbox): void {
  const target = join(folder, file);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${block.text}\n`);
  assert.ok(
    later.some(({ language, text }) => language === "console" && text.includes(file)),
    `${file} is shown and nothing uses it`,
  );
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
