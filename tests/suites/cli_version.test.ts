import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { VERSION } from "../../src/cli/version.ts";
import { runCommand } from "../support/command.ts";
import { extwire } from "../support/runtime.ts";

test("--version is that of the package", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  assert.equal(VERSION, version);
  assert.equal((await runCommand(extwire("--version"))).stdout.trim(), version);
});
