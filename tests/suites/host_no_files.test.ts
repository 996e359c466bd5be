/** A host whose system opens no more files for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runCommand } from "../support/command.ts";
import { fixture, RUNTIME } from "../support/runtime.ts";

const skip = RUNTIME === "deno" && "Deno itself panics, one time in ten, when it can open nothing more";

test("[D14] without a free file a start fails and says what to do, and what runs goes on", { skip }, async () => {
  const extension = fixture("host_dhara", "{}");
  const { command, args } = fixture("host_no_files", extension.command, ...extension.args);
  const limited = { command: "sh", args: ["-c", 'ulimit -n 100 && exec "$@"', "sh", command, ...args] };
  const { stdout, stderr } = await runCommand(limited);
  const [first, dhara, mx, call, again] = JSON.parse(stdout || "[]") as string[];
  assert.deepEqual([first, call, again], ["started", "answered", "started"], stderr);
  assert.match(
    dhara ?? "",
    /^start-failed extension 'dhara': .* could not be started: .*raise the limit with ulimit -n/,
  );
  assert.match(mx ?? "", /^start-failed extension 'mx': no port on 127\.0\.0\.1 could be opened: .*[Ll]isten/);
});
