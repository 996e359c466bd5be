import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fixture, RUNTIME } from "../support/runtime.ts";

test(`a fixture runs on the runtime that runs the test`, () => {
  const { command, args } = fixture("echo_argv", "a b", "", "ü");
  assert.deepEqual(JSON.parse(execFileSync(command, args, { encoding: "utf8" })), ["a b", "", "ü"]);
  assert.ok(["node", "deno", "bun"].includes(RUNTIME));
});
