/** What a call holds while it lasts: its place in flight and its signal are free again whatever ended it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Diagnostic } from "../../src/rpc/channel.ts";
import { deferred } from "../../src/rpc/deferred.ts";
import { ExtensionError } from "../../src/rpc/errors.ts";
import { Peer, type RequestOptions } from "../../src/rpc/peer.ts";
import { countedSignal } from "../support/counted_signal.ts";
import { HandChannel } from "../support/hand_channel.ts";
import { rejected } from "../support/rejected.ts";

/** Ways for request 1 to end. */
const ENDS: Readonly<Record<string, (channel: HandChannel, abort: () => void) => void>> = {
  "a result": (channel) => channel.says('{"jsonrpc":"2.0","id":1,"result":1}'),
  "an error": (channel) => channel.says('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}'),
  "an answer that is none": (channel) => channel.says('{"jsonrpc":"2.0","id":1}'),
  "an answer without a version": (channel) => channel.says('{"id":1,"result":1}'),
  "an abort": (_channel, abort) => abort(),
  "a timeout": () => {},
};

for (const [what, end] of Object.entries(ENDS)) {
  test(`[X-06] ${what} makes room for the call that waits for its place`, async () => {
    const channel = new HandChannel();
    const peer = new Peer(channel, {}, { limits: { maxInFlight: 1 } });
    const controller = new AbortController();
    const timeoutMs = what === "a timeout" ? 1 : 0;
    const first = peer.request("first", null, { signal: controller.signal, timeoutMs }).catch(() => {});
    const second = peer.request("second", null, { timeoutMs: 0 });
    assert.deepEqual(
      channel.messages.map(({ method }) => method),
      ["first"],
    );
    end(channel, () => controller.abort(new Error("enough")));
    await first;
    assert.deepEqual(
      channel.messages.map(({ method }) => method),
      ["first", "second"],
    );
    channel.says('{"jsonrpc":"2.0","id":2,"result":"yes"}');
    assert.equal(await second, "yes");
    await peer.close();
  });
}

test("[X-08] one listener serves all calls of a signal, and is let go when another signal's calls are over", async () => {
  const channel = new HandChannel();
  const peer = new Peer(channel);
  const [one, two] = [countedSignal(), countedSignal()];
  const ask = (options: RequestOptions) => peer.request("ask", null, options);
  const answer = (id: number) => channel.says(`{"jsonrpc":"2.0","id":${id},"result":${id}}`);
  const calls = [ask(one), ask(one), ask(two)];
  assert.deepEqual([one.listeners(), two.listeners()], [1, 1]);
  answer(1);
  answer(3);
  assert.equal(one.listeners(), 1, "a call is left");
  answer(2);
  assert.deepEqual(await Promise.all(calls), [1, 2, 3]);
  assert.equal(two.listeners(), 0);
  // One that could not be sent is over too.
  await rejected(peer.request("ask", 1n, two));
  assert.deepEqual([one.listeners(), two.listeners()], [0, 1]);
  await peer.close();
  assert.deepEqual([one.listeners(), two.listeners()], [0, 0]);
});

test("[C11] a call that can't be sent is settled once, and the next one goes out under its number", async () => {
  const channel = new HandChannel();
  const peer = new Peer(channel);
  let settled = 0;
  const error = await rejected(peer.request("ask", 1n, { onSettled: () => settled++ }));
  assert.ok(error instanceof ExtensionError, String(error));
  assert.deepEqual([error.code, settled, peer.pending], ["not-serializable", 1, 0]);
  const next = peer.request("ask");
  assert.deepEqual(channel.messages, [{ jsonrpc: "2.0", id: 1, method: "ask" }]);
  channel.says('{"jsonrpc":"2.0","id":1,"result":null}');
  assert.equal(await next, null);
  await peer.close();
});

test("[X-06] [C9] an answer that more has to follow is read once, and its call keeps its place until that is there", async () => {
  const channel = new HandChannel();
  const codes: string[] = [];
  const diagnostic = ({ code }: Diagnostic) => void codes.push(code);
  const peer = new Peer(channel, { diagnostic }, { limits: { maxInFlight: 1 } });
  const more = deferred<string>();
  const read: unknown[] = [];
  const parse = (result: unknown) => {
    read.push(result);
    return more.promise;
  };
  const first = peer.request("first", null, { parse });
  const second = peer.request("second");
  channel.says('{"jsonrpc":"2.0","id":1,"result":"half"}');
  channel.says('{"jsonrpc":"2.0","id":1,"result":"half again"}');
  assert.deepEqual([read, codes, channel.sent.length], [["half"], ["unexpected-answer"], 1]);
  more.resolve("whole");
  assert.equal(await first, "whole");
  channel.says('{"jsonrpc":"2.0","id":2,"result":"yes"}');
  assert.equal(await second, "yes");
  await peer.close();
});

test("[X-08] a call that is aborted before it was sent is told to nobody, one that was sent is", async () => {
  const channel = new HandChannel();
  const peer = new Peer(channel, {}, { limits: { maxInFlight: 1 } });
  const controller = new AbortController();
  const told: string[] = [];
  const calls = ["sent", "waits"].map((name) =>
    rejected(peer.request(name, null, { signal: controller.signal, onAbort: () => told.push(name) })),
  );
  const reason = new Error("enough");
  controller.abort(reason);
  assert.deepEqual(await Promise.all(calls), [reason, reason]);
  assert.deepEqual([told, channel.sent.length, peer.pending], [["sent"], 1, 0]);
  await peer.close();
});
