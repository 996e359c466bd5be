/** A session with a host in this process: lists that come in any shape and time, calls before it is ready, how it ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { file, image, readToolResult, text } from "../../src/dhara/content.ts";
import { defineExtension } from "../../src/dhara/define.ts";
import { DharaServer } from "../../src/dhara/extension.ts";
import { DharaSession, type DharaSessionOptions } from "../../src/dhara/host.ts";
import { ExtensionError } from "../../src/rpc/errors.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { nextTurn } from "../../src/rpc/turn.ts";
import { HandChannel } from "../support/hand_channel.ts";
import { rejected } from "../support/rejected.ts";

function notified(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

/** A session whose extension is the test. */
function session(options: Partial<DharaSessionOptions> = {}) {
  const channel = new HandChannel();
  const changes: string[][] = [];
  const session = new DharaSession(channel, {
    id: "x",
    onToolsChanged: (tools) => void changes.push(tools.map(({ name }) => name)),
    ...options,
  });
  return { channel, changes, session };
}

test("[X-22] a list of tools is taken alone too, without an object around it: before the answer and after it", async () => {
  const { channel, changes, session: host } = session();
  const ready = host.initialize({ cwd: "/" });
  channel.says(notified("tools/list", [{ name: "a" }]));
  channel.says('{"jsonrpc":"2.0","id":1,"result":{"name":"bare"}}');
  const { name, tools } = await ready;
  assert.deepEqual([name, tools.map((tool) => tool.name)], ["bare", ["a"]]);
  channel.says(notified("tools/list", [{ name: "b" }]));
  assert.deepEqual(changes, [["b"]]);
  await host.close();
});

test("[X-22] [X-17] lists are taken one after the other, also when the first takes longer, and calls wait for the last", async () => {
  const { channel, changes, session: host } = session();
  const ready = host.initialize({ cwd: "/" });
  channel.says('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}');
  await ready;
  // What the quick check does not know is looked at by the validator, which takes a while.
  const slow = { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] };
  channel.says(notified("tools/list", { tools: [{ name: "slow", inputSchema: slow }] }));
  channel.says(notified("tools/list", { tools: [{ name: "slow", inputSchema: slow }, { name: "quick" }] }));
  channel.says(notified("tools/list", { tools: [{ name: "quick" }] }));
  assert.equal((await rejected(host.execute("slow", { a: 1 }))).code, "unknown-tool");
  assert.deepEqual(changes, [["slow"], ["slow", "quick"], ["quick"]]);
  const call = host.execute("quick");
  assert.equal(channel.messages.at(-1).params.toolName, "quick");
  channel.says('{"jsonrpc":"2.0","id":2,"result":{"content":[]}}');
  assert.deepEqual(await call, { content: [], isError: false });
  await host.close();
});

test("[X-23] [X-08] a call that waits for the handshake ends with its signal or its time, and is never sent", async () => {
  const { channel, session: host } = session({ timeoutMs: 1 });
  assert.equal((await rejected(host.execute("early"))).code, "protocol");
  const ready = host.initialize({ cwd: "/", timeoutMs: 0 });
  const reason = new Error("enough");
  assert.equal(await rejected(host.execute("t", {}, { signal: AbortSignal.abort(reason) })), reason);
  const controller = new AbortController();
  const waiting = rejected(host.execute("t", {}, { signal: controller.signal, timeoutMs: 0 }));
  controller.abort(reason);
  assert.equal(await waiting, reason);
  for (const options of [{}, { timeoutMs: 1 }]) {
    const late = await rejected(host.execute("t", {}, options));
    assert.equal(late.message, "extension 'x' was not ready for 't' within 1 ms");
  }
  assert.deepEqual(
    channel.messages.map(({ method }) => method),
    ["initialize"],
  );
  channel.says('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}');
  await ready;
  await host.close();
});

test("[D-13] [X-19] a timeout says how the extension took its end, where that is known", async () => {
  const exited = new ExtensionError("exited", "extension 'x' exited with code 3", {
    extension: "x",
    exitCode: 3,
    stderr: "last words",
  });
  for (const [ended, expected] of [
    [
      exited,
      { message: /^tool 't' was not answered: .* within 1 ms .*Then extension 'x' exited with code 3$/, exitCode: 3 },
    ],
    [
      undefined,
      { message: /^tool 't' of extension 'x': no answer to tools\/execute within 1 ms/, exitCode: undefined },
    ],
  ] as const) {
    const { channel, session: host } = session({ onTimeout: () => Promise.resolve(ended) });
    const ready = host.initialize({ cwd: "/" });
    channel.says('{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t"}]}}');
    await ready;
    const error = await rejected(host.execute("t", {}, { timeoutMs: 1 }));
    assert.ok(error instanceof ExtensionError, String(error));
    assert.match(error.message, expected.message);
    assert.deepEqual([error.code, error.exitCode, error.extension], ["timeout", expected.exitCode, "x"]);
    assert.equal(error.stderr, ended?.stderr);
    await host.close();
  }
});

test("[D-09] an extension says why it ended: it was told to, or its host is gone", async () => {
  for (const [end, message] of [
    [(host: DharaSession) => host.shutdown(), "the host asked for shutdown"],
    [(host: DharaSession) => host.close(), "the other side closed the connection"],
  ] as const) {
    const [here, there] = memoryPair();
    const server = new DharaServer(defineExtension({ name: "x", version: "1", tools: [] }), there);
    const host = new DharaSession(here, { id: "x" });
    await host.initialize({ cwd: "/" });
    await end(host);
    assert.equal((await server.closed).message, message);
    await host.close();
  }
});

test("[X-17] an extension whose schema is none says so when it is initialized, and is quiet when it is not", async () => {
  const tool = { name: "t", description: "A tool", inputSchema: { $ref: "#/nowhere" }, execute: () => "never" };
  const [here, there] = memoryPair();
  const extension = defineExtension({ name: "x", version: "1", tools: [tool] });
  const server = new DharaServer(extension, there);
  await rejected(Promise.resolve(extension.prepare()));
  // A runtime looks for rejections that nobody handles once a turn is over.
  await new Promise<void>(nextTurn);
  const host = new DharaSession(here, { id: "x" });
  const { message } = await rejected(host.initialize({ cwd: "/" }));
  assert.match(message, /tool 't': the inputSchema is not usable: \$ref "#\/nowhere" cannot be resolved/);
  await host.close();
  await server.closed;
});

test("[D-14] [D-15] [D-16] [D-17] content holds what it was made of and nothing else", () => {
  assert.deepEqual(
    [
      text("a"),
      image({ data: "AQID", mimeType: "image/png" }),
      image({ bytes: Uint8Array.of(1, 2, 3), mimeType: "image/png" }),
      image({ path: "/a.png" }),
      image({ path: "/a.png", mimeType: "image/png" }),
      file({ path: "/a.csv", size: 3, mimeType: "text/csv" }),
    ],
    [
      { type: "text", text: "a" },
      { type: "image", mimeType: "image/png", data: "AQID" },
      { type: "image", mimeType: "image/png", data: "AQID" },
      { type: "image", path: "/a.png" },
      { type: "image", path: "/a.png", mimeType: "image/png" },
      { type: "file", path: "/a.csv", size: 3, mimeType: "text/csv" },
    ],
  );
});

test("[X-17] [D-11] what a library has against an input is said, whether or not it says where", async () => {
  const issues: Readonly<Record<string, readonly object[]>> = {
    "Input: no": [{ message: "no" }],
    "Input: an object does not match the schema": [],
    "Parameter 'a.b': no": [{ message: "no", path: ["a", { key: "b" }] }],
    "Missing required parameter 'a.c'": [{ message: "no", path: ["a", "c"] }],
    "Missing required parameter 'n.c'": [{ message: "no", path: ["n", "c"] }],
    "Missing required parameter 'toString'": [{ message: "no", path: ["toString"] }],
  };
  for (const [said, found] of Object.entries(issues)) {
    const inputSchema = {
      "~standard": {
        version: 1 as const,
        vendor: "test",
        validate: () => ({ issues: found }),
        jsonSchema: { input: () => ({ type: "object" }) },
      },
    };
    const [here, there] = memoryPair();
    const tools = [{ name: "t", description: "A tool", inputSchema, execute: () => "never" }];
    new DharaServer(defineExtension({ name: "x", version: "1", tools }), there);
    const host = new DharaSession(here, { id: "x" });
    await host.initialize({ cwd: "/" });
    const { code, message } = await rejected(host.execute("t", { a: { b: 1 }, n: null }));
    assert.deepEqual([code, message], [-32602, said]);
    await host.close();
  }
});

test("[D-15] [D-16] [D-17] content that lacks a member is no result, and the member is named", () => {
  for (const [content, fault] of [
    [{ type: "text" }, "text must be a string, not nothing"],
    [{ type: "image", mimeType: "image/png" }, "data must be a string, not nothing"],
    [{ type: "image", data: "" }, "mimeType must be a string, not nothing"],
    [{ type: "image", path: 1, data: "" }, "mimeType must be a string, not nothing"],
    [{ type: "file", size: 1, mimeType: "a/b" }, "path must be a string, not nothing"],
    [{ type: "file", size: 1, path: "/a" }, "mimeType must be a string, not nothing"],
    [{ type: "file", size: "1", path: "/a", mimeType: "a/b" }, "size must be a number of bytes, not a string"],
    [{ type: "file", size: Number.NaN, path: "/a", mimeType: "a/b" }, "size must be a number of bytes, not NaN"],
  ] as const) {
    assert.throws(() => readToolResult({ content: [text("a"), content] }), {
      name: "TypeError",
      message: `content[1].${fault}`,
    });
  }
});
