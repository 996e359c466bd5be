/** Hooks and handlers that are left out, or that leave out what they could say: each has its default. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Diagnostic } from "../../src/rpc/channel.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { traceChannel } from "../../src/rpc/trace.ts";
import { HandChannel } from "../support/hand_channel.ts";
import { rejected } from "../support/rejected.ts";

test("[D-10] [M-09] a peer without a handler answers every request with -32601, and goes on", async () => {
  const [left, right] = memoryPair();
  new Peer(right);
  const peer = new Peer(left);
  for (const method of ["first", "second"]) {
    const { code, message } = (await rejected(peer.request(method))) as Error & { code: number };
    assert.deepEqual([code, message], [-32601, `method not found: ${method}`]);
  }
  await peer.notify("nobody listens");
  await rejected(peer.request("third"));
  await peer.close();
});

test("[X-05] a binary message that nobody takes is a diagnostic, and its memory is given back", () => {
  const channel = new HandChannel();
  const diagnostics: Diagnostic[] = [];
  new Peer(channel, { diagnostic: (diagnostic) => void diagnostics.push(diagnostic) });
  let recycled = 0;
  channel.receiver?.binary(new Uint8Array(3), 7, () => recycled++);
  assert.equal(recycled, 1);
  const message = "a binary message of 3 bytes at offset 7 that nothing here expects";
  assert.deepEqual(diagnostics, [{ code: "unexpected-binary", message }]);
  assert.deepEqual(channel.sent, []);
});

test("[X-05] a traced channel hands on what is diagnosed below it", () => {
  const channel = new HandChannel();
  const diagnostics: Diagnostic[] = [];
  new Peer(
    traceChannel(channel, () => {}),
    { diagnostic: (diagnostic) => void diagnostics.push(diagnostic) },
  );
  channel.receiver?.diagnostic({ code: "not-utf8", message: "line" });
  assert.deepEqual(diagnostics, [{ code: "not-utf8", message: "line" }]);
});

test("[D-13] a timeout rejects its call also when its hook has nothing to wait for, or throws", async () => {
  const [left] = memoryPair();
  const peer = new Peer(left);
  const hooks = [
    () => undefined,
    () => {
      throw new TypeError("from the hook");
    },
    () => Promise.reject(new TypeError("from the hook, later")),
  ];
  for (const onTimeout of hooks) {
    const error = await rejected(peer.request("wait", null, { timeoutMs: 1, onTimeout }));
    assert.equal((error as { code?: unknown }).code, "timeout", String(error));
  }
  assert.equal(peer.pending, 0);
  await peer.close();
});

test("[C11] a result whose then can't be read is a result like any other", async () => {
  const [left, right] = memoryPair();
  const name = "then";
  const result = Object.defineProperty({ a: 1 }, name, {
    get() {
      throw new Error("not to be read");
    },
  });
  new Peer(right, { request: () => result });
  const peer = new Peer(left);
  assert.deepEqual(await peer.request("odd"), { a: 1 });
  await peer.close();
});

test("[X-04] what is sent over memory once it is closed is told to be unwritten", async () => {
  const [left, right] = memoryPair();
  const arrived: string[] = [];
  const nothing = () => {};
  const closed = new Promise<void>((resolve) => {
    right.open({ text: (text) => arrived.push(text), binary: nothing, diagnostic: nothing, closed: () => resolve() });
  });
  const written: boolean[] = [];
  left.send("first", (done) => written.push(done));
  await left.close();
  left.send("second", (done) => written.push(done));
  await closed;
  assert.deepEqual([arrived, written], [["first"], [true, false]]);
});
