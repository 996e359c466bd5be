/** What is said about a command that the system does not start, also on systems that this is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startFailure } from "../../src/adapters/node_start_failure.ts";
import { about, dhara, hosting } from "../support/hosting.ts";

function said(code: string, command: string, env: Record<string, string> = {}): string {
  return startFailure({ command, args: ["a b"], env }, Object.assign(new Error(`spawn ${command} ${code}`), { code }))
    .message;
}

test("[D19] a script that Windows does not start gets an error that says how to run it", () => {
  for (const message of [
    said("EINVAL", "npx.cmd"),
    said("ENOENT", "npx", { Path: "C:\\bin", PATHEXT: ".COM;.EXE;.BAT;.CMD" }),
  ]) {
    assert.match(message, /^npx(\.cmd)? "a b" could not be started: /);
    assert.match(message, /run \.cmd and \.bat files with the command cmd\.exe and the args \/d \/c/);
  }
  assert.doesNotMatch(said("ENOENT", "npx", { PATH: "/bin" }), /cmd\.exe/);
});

test("[D19] no shell reads the arguments: spaces, quotes and percent signs arrive as they are", async () => {
  await hosting(async ({ host }) => {
    const { args = [], ...manifest } = dhara();
    const words = ["a b", '"quoted"', "100%", "%PATH%", "$(id)", "`id`", "a;b", "a&b", "^", "!x!"];
    await host.start({ ...manifest, args: [...args, ...words] });
    assert.deepEqual((await about(host)).argv, words);
  });
});
