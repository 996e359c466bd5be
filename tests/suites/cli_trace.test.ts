/** `--trace` shows whoever debugs an extension all that it is sent and all that it sends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Command, runCommand } from "../support/command.ts";
import { extwire, fixture } from "../support/runtime.ts";

const LONG = "x".repeat(5_000);
const SCRIPT = JSON.stringify({
  on: {
    initialize: [
      '{"jsonrpc":"2.0","id":"ID","result":{"name":"x","version":"1","tools":[{"name":"t","description":"A tool","inputSchema":{"type":"object"}}]}}',
    ],
    "tools/execute t": [
      "a stray print",
      `{"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"${LONG}"}]}}`,
    ],
  },
});

function traced(...args: string[]) {
  const { command, args: rest } = fixture("dhara_script", SCRIPT);
  return extwire(...args, "--trace", "--", command, ...rest);
}

test("call and tools show each message with the time and its direction, what came of it, and a long one cut", async () => {
  const { code, stdout, stderr } = await runCommand(traced("call", "t"));
  assert.deepEqual([code, stdout], [0, `${LONG}\n`]);
  const lines = stderr.split("\n").flatMap((line) => /^\d\d:\d\d:\d\d\.\d{3} dhara_script (.*)$/.exec(line)?.[1] ?? []);
  const told = lines.filter((line) => !line.startsWith("│"));
  assert.match(told[0]!, /^→ \{"jsonrpc":"2\.0","id":1,"method":"initialize","params":\{.*\}\}$/);
  assert.match(told[1]!, /^← \{"jsonrpc":"2\.0","id":1,"result":\{"name":"x".*\}\}$/);
  assert.match(told[2]!, /^→ .*"method":"tools\/execute"/);
  assert.equal(told[3], "← a stray print");
  assert.match(told[4]!, /^! invalid JSON .*"a stray print"$/);
  assert.match(told[5]!, /^← \{"jsonrpc":"2\.0","id":2,.*x{3000,4000}… 5\d\d\d characters in all$/);
  assert.equal(told[6], '→ {"jsonrpc":"2.0","method":"shutdown"}');
  assert.equal(told.length, 7);
  // What it wrote on stderr comes along, as with --verbose.
  assert.ok(lines.length > told.length);
  assert.match((await runCommand(traced("tools"))).stderr, /dhara_script → \{.*"method":"initialize"/);
});

test("run --json gives whole messages as events", async () => {
  const running = new Command(extwire("run", "demo:mx", "--json", "--trace"));
  await running.shows(/"direction":"sent","text":"[^\n]*extension\.v1\.reportStatus/);
  running.kill("SIGTERM");
  const { stdout } = await running.ended;
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const hello = events.find(({ type, direction }) => type === "message" && direction === "received");
  assert.deepEqual(JSON.parse(hello.text).params, {
    token: "[token]",
    protocolVersion: 1,
    extensionId: "screen-watch",
  });
  assert.match(hello.time, /^\d{4}-\d\d-\d\dT/);
});
