/** The example of a host inside somebody's own program, run from its source. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../tools/bundle.ts";
import { runCommand } from "../support/command.ts";
import { type Program, RUNTIME } from "../support/runtime.ts";

/** On Deno the packages of JSR have stand-ins, for its extensions too. */
function source(path: string): Program {
  const options = RUNTIME === "deno" ? [`--config=${join(ROOT, "deno.offline.json")}`] : [];
  const before = { node: ["--import", "tsx"], deno: ["run", "--allow-all", "--quiet", ...options], bun: [] }[RUNTIME];
  return { command: process.execPath, args: [...before, join(ROOT, path), ...options] };
}

test("a host in a program of one's own starts both examples, calls a tool, and stops them when it is done", async () => {
  const { code, stdout, stderr } = await runCommand(source("examples/embedding_host.ts"), { cwd: ROOT });
  assert.equal(code, 0, stderr);
  for (const told of [
    /^web-tools is ready$/m,
    /^screen-watch is ready$/m,
    /^web-tools: fetch_url: Fetch a URL/m,
    /^text\/csv, 37 bytes: .*words\.csv$/m,
    /^web-tools is stopped$/m,
    /^screen-watch is stopped$/m,
  ]) {
    assert.match(stdout, told);
  }
});
