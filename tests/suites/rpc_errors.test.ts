/** How errors look to whoever prints them, or does not catch them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { ErrorCode, ExtensionError, type ExtensionErrorDetails, RpcError } from "../../src/rpc/errors.ts";

const ERRORS: Readonly<Record<string, Error>> = {
  "an RpcError without data": new RpcError(ErrorCode.internalError, "broke"),
  "an ExtensionError without details": new ExtensionError("timeout", "late"),
  "one whose details are undefined": new ExtensionError("timeout", "late", {
    cause: undefined,
    extension: undefined,
    stderr: undefined,
    exitCode: undefined,
    signal: undefined,
  }),
};

for (const [what, error] of Object.entries(ERRORS)) {
  test(`${what} shows nothing that is undefined`, () => {
    const shown = inspect(error);
    assert.ok(shown.includes(error.message) && shown.includes("code"), shown);
    assert.ok(!shown.includes("undefined"), shown);
  });
}

test("an error shows the details that are known, null too", () => {
  const details: ExtensionErrorDetails = { extension: "tools", stderr: "", exitCode: null, signal: "SIGKILL" };
  const error = new ExtensionError("exited", "gone", details);
  assert.deepEqual(Object.fromEntries(Object.entries(error)), { ...details, code: "exited", name: "ExtensionError" });
  const { data } = new RpcError(ErrorCode.invalidParams, "wrong", null);
  assert.equal(data, null);
});
