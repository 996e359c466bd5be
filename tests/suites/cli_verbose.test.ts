/** What an extension writes beside its answers is told to whoever runs `extwire tools` or `extwire call` to debug it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Ended, runCommand } from "../support/command.ts";
import type { Script } from "../support/dhara_process.ts";
import { extwire, fixture } from "../support/runtime.ts";

const TOOLS = [{ name: "t", description: "A tool", inputSchema: { type: "object" } }];
const ANSWER = '{"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"fine"}]}}';
const REFUSAL = '{"jsonrpc":"2.0","id":"ID","error":{"code":-32050,"message":"not today"}}';

function ready(tools: readonly object[] = TOOLS): string {
  return `{"jsonrpc":"2.0","id":"ID","result":{"name":"x","version":"1","tools":${JSON.stringify(tools)}}}`;
}

function run(args: readonly string[], script: Script): Promise<Ended> {
  const extension = fixture("dhara_script", JSON.stringify(script));
  return runCommand(extwire(...args, "--", extension.command, ...extension.args));
}

/** The lines that name the extension. */
function told({ stderr }: Ended): string[] {
  return stderr.split("\n").flatMap((line) => /^dhara_script (.*)$/.exec(line)?.[1] ?? []);
}

test("call tells at its end what could not be used, five of it", async () => {
  const junk = Array.from({ length: 7 }, (_, i) => `junk ${i}`);
  const ended = await run(["call", "t", "--json"], {
    on: { initialize: [ready()], "tools/execute t": [...junk, ANSWER] },
  });
  assert.deepEqual([ended.code, JSON.parse(ended.stdout).content[0].text], [0, "fine"]);
  const lines = told(ended);
  assert.equal(lines.length, 6);
  for (const [i, line] of lines.slice(0, 5).entries()) assert.match(line, new RegExp(`^! .*junk ${i}"$`));
  assert.equal(lines[5], "… 2 more of these; --verbose shows them all");
});

test("call tells of it too when the extension answered with an error", async () => {
  const ended = await run(["call", "t"], { on: { initialize: [ready()], "tools/execute t": ["junk", REFUSAL] } });
  assert.equal(ended.code, 1);
  assert.match(told(ended).join(), /^! .*junk"$/);
});

test("tools tells of a schema that is none", async () => {
  const tools = [{ ...TOOLS[0], inputSchema: { type: "objekt" } }];
  const ended = await run(["tools"], { on: { initialize: [ready(tools)] } });
  assert.deepEqual([ended.code, ended.stdout], [0, "t\t\tA tool\n"]);
  assert.match(told(ended).join(), /^! tool 't': the inputSchema is not usable: /);
});

test("--verbose shows stderr as it comes, and all that could not be used", async () => {
  const junk = Array.from({ length: 7 }, (_, i) => `junk ${i}`);
  const script = { on: { initialize: [ready()], "tools/execute t": [...junk, ANSWER] } };
  const lines = told(await run(["call", "t", "--verbose"], script));
  assert.equal(lines.filter((line) => line.startsWith("! ")).length, 7);
  assert.ok(lines.some((line) => /^│ > .*"method":"tools\/execute"/.test(line)));
  assert.deepEqual(told(await run(["call", "t"], { on: { initialize: [ready()], "tools/execute t": [ANSWER] } })), []);
});
