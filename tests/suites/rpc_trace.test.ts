/** A traced channel tells what passed over it, and changes nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scalarCodec } from "../../codec/scalar.ts";
import type { BinaryMessage } from "../../src/rpc/channel.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { streamPipe } from "../../src/rpc/stream_pipe.ts";
import { type TracedMessage, traceChannel } from "../../src/rpc/trace.ts";
import { Inbox } from "../support/inbox.ts";

/** Both sides of one connection, each with what it was told. */
function tracedPeers(request: (method: string) => unknown) {
  const [left, right] = memoryPair();
  const seen: [TracedMessage[], TracedMessage[]] = [[], []];
  const answering = new Peer(
    traceChannel(right, (message) => void seen[1].push(message)),
    { request },
  );
  const asking = new Peer(traceChannel(left, (message) => void seen[0].push(message)));
  return { asking, answering, seen };
}

test("both sides are told the same messages, in their order, as they stand on the wire", async () => {
  const { asking, seen } = tracedPeers((method) => `${method}, you say`);
  assert.equal(await asking.request("hello", { to: "you" }), "hello, you say");
  assert.deepEqual(seen[0], [
    { direction: "sent", text: '{"jsonrpc":"2.0","id":1,"method":"hello","params":{"to":"you"}}' },
    { direction: "received", text: '{"jsonrpc":"2.0","id":1,"result":"hello, you say"}' },
  ]);
  assert.deepEqual(
    seen[1],
    seen[0].map(({ direction, ...rest }) => ({ direction: direction === "sent" ? "received" : "sent", ...rest })),
  );
  await asking.close();
});

test("of a binary message its size is told, and all its bytes arrive", async () => {
  const [left, right] = memoryPair();
  const seen: TracedMessage[] = [];
  const trace = (message: TracedMessage) => void seen.push(message);
  const arrived = new Promise<Uint8Array>((resolve) => {
    const nothing = () => {};
    traceChannel(right, trace).open({ text: nothing, binary: resolve, diagnostic: nothing, closed: nothing });
  });
  traceChannel(left, trace).send([Uint8Array.of(1, 2), Uint8Array.of(3)] satisfies BinaryMessage);
  assert.deepEqual([...(await arrived)], [1, 2, 3]);
  assert.deepEqual(seen, [
    { direction: "sent", bytes: 3 },
    { direction: "received", bytes: 3 },
  ]);
});

test("a message is told as sent once its reader has taken it, and one that came though it is nonsense", async () => {
  const output = new TransformStream<Uint8Array, Uint8Array>();
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const told = new Inbox<TracedMessage>();
  const channel = pipeChannel(
    streamPipe({ readable: input.readable, writable: output.writable }),
    scalarCodec,
    "lines",
  );
  const peer = new Peer(traceChannel(channel, told.push), {}, { answersInvalid: false });
  peer.request("waits").catch(() => {});
  const writer = input.writable.getWriter();
  await writer.write(new TextEncoder().encode("nonsense\n"));
  await told.next();
  assert.deepEqual(told.all, [{ direction: "received", text: "nonsense" }]);
  const { value } = await output.readable.getReader().read();
  assert.equal(new TextDecoder().decode(value), '{"jsonrpc":"2.0","id":1,"method":"waits"}\n');
  assert.deepEqual(await told.next(), { direction: "sent", text: '{"jsonrpc":"2.0","id":1,"method":"waits"}' });
  await writer.close();
});
