import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fixture, RUNTIME } from "../support/runtime.ts";

test("[C25] hooks that throw and notifications that nobody awaits leave a process alive, by each runtime's defaults", () => {
  const { command, args } = fixture("rpc_hooks_that_throw");
  const strict = RUNTIME === "node" ? ["--unhandled-rejections=throw", ...args] : args;
  const output = execFileSync(command, strict, { encoding: "utf8" });
  const all = [
    "aborted",
    "bad answer",
    "closed",
    // One for the garbage, one for the second answer to the request that was answered badly first.
    "diagnostic",
    "diagnostic",
    "notification",
    "notification, later",
    "sent",
    "settled",
  ];
  assert.deepEqual(JSON.parse(output).sort(), all);
});
