/** What goes wrong under --json is told to programs too: one object on stdout, the same words as on stderr. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inTerminal, NO_TERMINAL, runCommand } from "../support/command.ts";
import { extwire, fixture } from "../support/runtime.ts";

const { command, args } = fixture("cli_extension");
const extension = ["--", command, ...args];

test("--json tells errors on stdout too", async () => {
  const { code, stdout } = await runCommand(extwire("call", "--json", "refuse", ...extension));
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout), { error: { code: -32_050, message: "quota is used up", data: { left: 0 } } });
  const timeout = await runCommand(extwire("call", "--json", "hang", "--timeout", "300ms", ...extension));
  assert.equal(JSON.parse(timeout.stdout).error.code, "timeout");
  const failed = await runCommand(extwire("call", "--json", "fail", ...extension));
  assert.equal(failed.code, 1);
  assert.equal(JSON.parse(failed.stdout).isError, true);
});

test("--json tells mistakes in the arguments on stdout too, in one object", async () => {
  for (const [line, message] of [
    [["call", "--json"], /^which tool of which extension\?/],
    [["tools", "--json", "--jsn", "demo:dhara"], /^there is no flag --jsn here; did you mean --json\?\n/],
    [["tools", "a", "b", "--json"], /^Too many arguments/],
    [["call", "--timeout", "soon", "--json", "echo", ...extension], /"soon" is not a duration/],
    [["call", "--json", "--zz", "x", "y"], /^there is no flag --zz here\n/],
    [["call", "x", "y", "--json", "--protocol"], /^--protocol takes dhara or mx\n/],
    [
      ["run", "--json", "--protocol", "mz", ...extension],
      /^--protocol takes dhara or mx, not "mz"; did you mean mx\?\n/,
    ],
    [["tools", "--json", "--protocol", "d", ...extension], /^--protocol takes dhara or mx, not "d"\n/],
    [["completion", "zhs", "--json"], /^there is no flag --json here\n/],
    [["tolls", "--json"], /^there is no command "tolls"; did you mean tools\?$/],
    [["extension", "dara", "--json"], /^there is no command "extension dara"/],
    [["extension", "mx", "--json"], /^there is no flag --json here\n/],
    [["tools", "--json"], /^which extension\?/],
  ] as const) {
    const { code, stdout, stderr } = await runCommand(extwire(...line));
    assert.match(stdout, /^[^\n]+\n$/, line.join(" "));
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
    assert.deepEqual(Object.keys(error), ["code", "message"]);
    assert.equal(error.code, "usage");
    assert.match(error.message, message);
    assert.equal(stderr, `extwire: ${error.message}\n`);
    assert.equal(code, 2);
  }
  // Behind -- it is another program's.
  assert.equal((await runCommand(extwire("tools", "--jsn", "--", "x", "--json"))).stdout, "");
});

test("--json tells an error in one line on a terminal too, as the events before it", {
  skip: NO_TERMINAL,
}, async () => {
  const { code, stdout } = await inTerminal(extwire("run", "--json", "--protocol", "mcp", "--", "x")).ended;
  assert.equal(code, 2);
  const line = stdout.split(/[\r\n]+/).find((each) => each.startsWith("{"));
  assert.equal(JSON.parse(line ?? "").error.code, "usage");
});
