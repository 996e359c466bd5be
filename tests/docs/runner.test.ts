/** The runner of the documents' examples finds what it is for. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Block, commentBlocks, markdownBlocks } from "./blocks.ts";
import { Programs } from "./programs.ts";
import { difference, readSession, runSession } from "./sessions.ts";
import { bytesOf, checkBytes } from "./wire.ts";

function block(language: string, text: string, ...words: string[]): Block {
  return { path: "docs/made_up.md", line: 1, language, words, notRun: undefined, text };
}

test("blocks are found with their lines, words and reasons, in lists and in doc comments", () => {
  const markdown = "a\n```ts file=b.ts\nb\n```\n* c\n  ```sh not run: it costs a day\n  d\n    e\n  ```\n";
  assert.deepEqual(markdownBlocks("x.md", markdown), [
    { path: "x.md", line: 3, language: "ts", words: ["file=b.ts"], notRun: undefined, text: "b" },
    { path: "x.md", line: 7, language: "sh", words: [], notRun: "it costs a day", text: "d\n  e" },
  ]);
  assert.throws(() => markdownBlocks("x.md", "```ts\n"), /x\.md:1 opens a block/);
  const source = "/** No example. */\n/**\n * A.\n *\n * @example\n * ```ts\n * a();\n * ```\n */\n";
  assert.deepEqual(commentBlocks("x.ts", source), [
    { path: "x.ts", line: 7, language: "ts", words: [], notRun: undefined, text: "a();" },
  ]);
});

test("a program that prints something else than it promises fails, and so does one that does not compile", async () => {
  const kept = block("ts", 'console.log([1, "a"]); // [1, "a"]');
  const broken = block("ts", "console.log(1 + 1); // 3");
  const programs = new Programs("kept", [kept]);
  assert.equal((await programs.run(kept, tmpdir())).code, 0);
  const ended = await new Programs("broken", [broken]).run(broken, tmpdir());
  assert.equal(ended.code, 1);
  assert.match(ended.output, /docs\/made_up\.md:1 promises\n {2}3\nbut prints\n {2}2/);
  const wrong = block("ts", "const n: number = 'a';\nconsole.log(n);");
  assert.match(new Programs("wrong", [wrong]).typeFaults().join("\n"), /docs\/made_up\.md:1: error TS2322/);
});

test("what is shown is compared line by line, but for what differs from run to run", () => {
  assert.equal(difference("a\n…\nd", "a\nb\nc\nd"), undefined);
  assert.equal(difference("a … c", "a b c"), undefined);
  assert.equal(difference("in 3 ms at 127.0.0.1:80", "in 1.2 s at 127.0.0.1:9999"), undefined);
  assert.match(difference("a", "b") ?? "", /line 1 should be/);
  assert.match(difference("a\nb", "a") ?? "", /ends before/);
  assert.match(difference("a", "a\nb") ?? "", /goes on with/);
});

test("a session is run in its folder, each command with the code of the one before", async () => {
  assert.deepEqual(readSession("$ a \\\n  b\nc\n$ d"), [
    { command: "a \\\n  b", shown: "c" },
    { command: "d", shown: "" },
  ]);
  const folder = mkdtempSync(join(tmpdir(), "extwire-docs-"));
  const sandbox = { folder, env: process.env };
  try {
    await runSession("$ echo a > b\n$ cat b\na\n$ exit 7\n$ echo $?\n7", sandbox);
    await runSession("$ echo b && echo a\na\nb", sandbox, true);
    await runSession("$ sh -c 'trap \"echo c; exit 0\" INT; echo a; while :; do sleep 0.1; done'\na\n^C\nc", sandbox);
    await assert.rejects(runSession("$ echo a\nb", sandbox), /should be\n {2}b/);
    await assert.rejects(runSession("$ exit 7", sandbox), /exited with 7/);
    await assert.rejects(runSession("$ echo a\n$ echo b\nb", sandbox), /goes on with/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("bytes must be whole messages, and what stands behind them", () => {
  assert.deepEqual(bytesOf("00 ff # no\n01"), Uint8Array.of(0, 255, 1));
  const frame = block("hex", "00 00 00 03 00 34 32 # 42", "frames");
  checkBytes(frame, block("json", "42"));
  assert.throws(() => checkBytes(frame, block("json", "43")), /not the same/);
  assert.throws(() => checkBytes(block("hex", "00 00 00 03 00 34", "frames"), undefined));
  assert.throws(() => checkBytes(block("hex", "34 32", "lines"), undefined), /no message is whole/);
});
