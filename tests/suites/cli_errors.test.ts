/** What is said of each kind of error, to people and to programs, and with which code the program ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeError, errorValue } from "../../src/cli/describe_error.ts";
import { ReportedError, UsageError } from "../../src/cli/errors.ts";
import { exitCodeOf } from "../../src/cli/exit_codes.ts";
import { imageBytes } from "../../src/cli/image_bytes.ts";
import { styleFor } from "../../src/cli/style.ts";
import { ExtensionError, type ExtensionErrorCode, RpcError } from "../../src/rpc/errors.ts";

const EVIL = "a\x1b[2Jb";
const say = (error: unknown) => describeError(error, styleFor("none"));

test("each error ends the program with the code of its kind", () => {
  const codes: Record<ExtensionErrorCode, number> = {
    "unknown-tool": 2,
    "bad-manifest": 2,
    "start-failed": 3,
    "handshake-failed": 3,
    failed: 3,
    timeout: 4,
    exited: 1,
    limit: 1,
    protocol: 1,
    closed: 1,
    disconnected: 1,
    "bad-schema": 1,
    "not-serializable": 1,
  };
  for (const [code, expected] of Object.entries(codes)) {
    assert.equal(exitCodeOf(new ExtensionError(code as ExtensionErrorCode, "x")), expected, code);
  }
  assert.equal(exitCodeOf(new UsageError("x")), 2);
  assert.equal(exitCodeOf(new ReportedError("x")), 1);
  assert.equal(exitCodeOf(new ReportedError("x", 3)), 3);
  assert.equal(exitCodeOf(new RpcError(-32_000, "x")), 1);
  assert.equal(exitCodeOf(new Error("x")), 1);
  assert.equal(exitCodeOf(undefined), 1);
});

test("a person is told of an error in words that can't command the terminal, and of what was told already nothing", () => {
  assert.equal(say(new ReportedError("x")), "");
  assert.equal(say(new UsageError("x")), "extwire: x");
  assert.equal(say(new RpcError(-32_000, EVIL)), "extwire: the extension answered with error -32000: ab");
  assert.equal(
    say(new RpcError(-32_602, "x", { why: "\x9b" })),
    'extwire: the extension answered with error -32602: x\n  {"why":""}',
  );
  assert.equal(say(new ExtensionError("exited", EVIL)), "extwire: ab");
  assert.match(say(new TypeError("x")), /^extwire: unexpected: TypeError: x\n +at /);
  assert.equal(say(5), "extwire: unexpected: 5");
});

test("the last words of an extension stand under a message that does not end with them", () => {
  const ended = (message: string, stderr?: string) => say(new ExtensionError("exited", message, { stderr }));
  assert.equal(ended("x", ""), "extwire: x");
  assert.equal(ended("x", "\n\n"), "extwire: x");
  assert.equal(ended("x: it hurts", "before\nit hurts\n"), "extwire: x: it hurts");
  assert.equal(ended("x", `it\n${EVIL}\n`), "extwire: x\nit wrote to stderr:\n  │ it\n  │ ab");
});

test("a program is told of an error as values", () => {
  assert.deepEqual(errorValue(new RpcError(-32_000, "x", { left: 0 })), {
    code: -32_000,
    message: "x",
    data: { left: 0 },
  });
  const details = { extension: "e", stderr: "s", exitCode: 7, signal: null };
  assert.deepEqual(errorValue(new ExtensionError("exited", "x", details)), {
    code: "exited",
    message: "x",
    ...details,
  });
  assert.deepEqual(errorValue(new UsageError("x")), { code: "usage", message: "x" });
  assert.deepEqual(errorValue(new Error("x")), { code: "unexpected", message: "x" });
  assert.deepEqual(errorValue(undefined), { code: "unexpected", message: undefined });
});

test("[D-15] an image is base64 of either alphabet, in lines or not, and nothing else", () => {
  for (const data of ["+/+/AA==", "-_-_AA", " +/+/\r\n\tAA== "]) {
    assert.deepEqual([...imageBytes(data, "t")], [0xfb, 0xff, 0xbf, 0], data);
  }
  assert.throws(() => imageBytes("AAA*", "t"), {
    code: "protocol",
    message: 't returned an image whose data is not base64: unexpected "*" at character 3',
  });
});
