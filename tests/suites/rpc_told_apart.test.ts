/** Messages that look like others, at the edge of a limit or under the same id: each costs no more than itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Diagnostic } from "../../src/rpc/channel.ts";
import { RpcError } from "../../src/rpc/errors.ts";
import { Peer, type PeerOptions, type RequestHandler } from "../../src/rpc/peer.ts";
import { HandChannel } from "../support/hand_channel.ts";
import { rejected } from "../support/rejected.ts";

function asked(request: RequestHandler, options: PeerOptions = {}) {
  const channel = new HandChannel();
  const diagnostics: Diagnostic[] = [];
  const peer = new Peer(channel, { request, diagnostic: (each) => void diagnostics.push(each) }, options);
  return { channel, diagnostics, peer };
}

test("[M-22] [C20] a request of the other side that can't be read does not fail ours of the same id", async () => {
  const { channel, peer } = asked(() => "never", { limits: { maxDepth: 20 } });
  const ours = peer.request("ours");
  const deep = `${"[".repeat(30)}${"]".repeat(30)}`;
  for (const params of ["{nonsense}", deep])
    channel.says(`{"jsonrpc":"2.0","id":1,"method":"theirs","params":${params}}`);
  const [, unparsable, tooDeep] = channel.messages;
  assert.deepEqual([unparsable.id, unparsable.error.code], [null, -32700]);
  assert.deepEqual([tooDeep.id, tooDeep.error.code], [1, -32600]);
  channel.says('{"jsonrpc":"2.0","id":1,"result":"answered"}');
  assert.equal(await ours, "answered");
  await peer.close();
});

test("[C14] [X-06] an answer that nests too deeply is told to its caller, and to nobody else", async () => {
  const { channel, diagnostics, peer } = asked(() => "never", { limits: { maxDepth: 20 } });
  const ours = rejected(peer.request("ours"));
  channel.says(`{"jsonrpc":"2.0","id":1,"result":${"[".repeat(30)}${"]".repeat(30)}}`);
  assert.equal((await ours).code, "limit");
  assert.deepEqual([diagnostics, channel.sent.length], [[], 1]);
  await peer.close();
});

test("[X-04] [X-01] where requests were given up, an answer to one that never was is still a diagnostic", async () => {
  const { channel, diagnostics, peer } = asked(() => "never", { limits: { maxInFlight: 2 } });
  for (let i = 0; i < 4; i++) {
    const controller = new AbortController();
    const given = rejected(peer.request("late", null, { signal: controller.signal }));
    controller.abort(new Error("enough"));
    await given;
  }
  for (const id of [1, 2, 3, 4]) channel.says(`{"jsonrpc":"2.0","id":${id},"result":1}`);
  assert.deepEqual(diagnostics, []);
  for (const id of [5, 0, -1]) channel.says(`{"jsonrpc":"2.0","id":${id},"result":1}`);
  assert.deepEqual(
    diagnostics.map(({ code }) => code),
    ["unexpected-answer", "unexpected-answer", "unexpected-answer"],
  );
  await peer.close();
});

test("[X-01] [C16] with id null only a whole result is nothing: what lacks it, or is an error, is a diagnostic", async () => {
  const { channel, diagnostics, peer } = asked(() => "never");
  channel.says('{"jsonrpc":"2.0","id":null,"result":null}');
  assert.deepEqual(diagnostics, []);
  for (const rest of ["", ',"error":{"code":1,"message":"no"}', ',"result":1,"error":{"code":1,"message":"no"}'])
    channel.says(`{"jsonrpc":"2.0","id":null${rest}}`);
  assert.equal(diagnostics.length, 3);
  assert.deepEqual(channel.sent, []);
  await peer.close();
});

test("[X-06] [C14] nesting counts what is open and not what was: maxDepth is taken, one more is refused", async () => {
  const { channel, peer } = asked((_method, params) => (params as unknown[]).length, { limits: { maxDepth: 5 } });
  // With the message itself and its params three more fit. Brackets and escaped quotes in a text are none.
  const before = String.raw`[],{},[[]],{"a":[]},"[[[[\"[[[[","{{{{\\",`;
  for (const [deep, error] of [
    ["[[[]]]", undefined],
    ['{"a":[{}]}', undefined],
    ["[[[[]]]]", -32600],
    ['[{"a":[{}]}]', -32600],
  ] as const) {
    channel.says(`{"jsonrpc":"2.0","id":1,"method":"count","params":[${before}${deep}]}`);
    assert.equal(channel.messages.at(-1)?.error?.code, error, deep);
    if (error === undefined) assert.equal(channel.messages.at(-1)?.result, 7);
  }
  await peer.close();
});

test("[D-10] [X-06] only an RpcError chooses its code and data, and an error too long is cut and keeps its id", async () => {
  const data = { told: "nobody" };
  const errors: Readonly<Record<string, Error>> = {
    numbered: Object.assign(new Error("numbered"), { code: 7, data }),
    fraction: new RpcError(1.5, "fraction", data),
    silent: new Error(""),
    long: new RpcError(-32042, "x".repeat(5_000)),
    burdened: new RpcError(-32042, "burdened", "x".repeat(5_000)),
  };
  const { channel, peer } = asked(
    (method) => {
      throw errors[method] as Error;
    },
    { limits: { maxMessageBytes: 2_000 } },
  );
  for (const [method, code, message] of [
    ["numbered", -32603, "numbered"],
    ["fraction", -32603, "fraction"],
    ["silent", -32603, "internal error"],
    ["long", -32042, "x".repeat(1_000)],
    ["burdened", -32042, "burdened"],
  ] as const) {
    channel.says(`{"jsonrpc":"2.0","id":"${method}","method":"${method}"}`);
    assert.deepEqual(channel.messages.at(-1), { jsonrpc: "2.0", id: method, error: { code, message } });
  }
  await peer.close();
});

test("[X-05] [C14] what nests too deeply and is no answer is answered only if it asks, by who answers nothing else", async () => {
  const { channel, diagnostics, peer } = asked(() => "never", { answersInvalid: false, limits: { maxDepth: 20 } });
  const deep = `${"[".repeat(30)}${"]".repeat(30)}`;
  channel.says(deep);
  channel.says(`{"jsonrpc":"2.0","method":"told","params":${deep}}`);
  assert.deepEqual(channel.sent, []);
  channel.says(`{"jsonrpc":"2.0","id":7,"method":"asked","params":${deep}}`);
  const [{ id, error }] = channel.messages;
  assert.deepEqual([id, error.code], [7, -32600]);
  assert.deepEqual(
    diagnostics.map(({ code }) => code),
    ["limit", "limit", "limit"],
  );
  await peer.close();
});
