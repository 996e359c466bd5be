/** What happens when the other side does not read: nothing grows without a bound, and timers go on. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { scalarCodec } from "../../codec/scalar.ts";
import { NodePipe } from "../../src/adapters/node_pipe.ts";
import { ExtensionError } from "../../src/rpc/errors.ts";
import { Peer, type PeerHandlers } from "../../src/rpc/peer.ts";
import type { Pipe, PipeReceiver } from "../../src/rpc/pipe.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { nextTurn } from "../../src/rpc/turn.ts";
import { endWires, SocketWire, socketPair } from "../support/wire.ts";

after(endWires);

const KIB = 1_024;

/** A pipe that counts what it was given and says when it wants more. */
class SlowPipe implements Pipe {
  given = 0;
  receiver: PipeReceiver | undefined;
  #more: (() => void) | undefined;
  #written: (() => void) | undefined;

  open(receiver: PipeReceiver): void {
    this.receiver = receiver;
  }

  write(chunks: readonly Uint8Array[]): Promise<void> {
    for (const chunk of chunks) this.given += chunk.length;
    return new Promise((resolve) => {
      this.#more = resolve;
      this.#written?.();
    });
  }

  /** Takes what it was given, as soon as it is given something. */
  async take(): Promise<void> {
    if (this.#more === undefined) {
      await new Promise<void>((resolve) => {
        this.#written = resolve;
      });
    }
    const more = this.#more;
    this.#more = undefined;
    more?.();
  }

  end(): Promise<void> {
    return Promise.resolve();
  }

  destroy(): void {
    this.#more?.();
  }
}

function slowPeer(limits: object, handlers: PeerHandlers = {}): { pipe: SlowPipe; peer: Peer } {
  const pipe = new SlowPipe();
  return { pipe, peer: new Peer(pipeChannel(pipe, scalarCodec, "lines", limits), handlers, { limits }) };
}

test("[E4] [X-06] requests and notifications wait while the queue is full, and go on when there is room", async () => {
  const { pipe, peer } = slowPeer({ maxQueuedBytes: 100 * KIB });
  const settled: string[] = [];
  const text = "x".repeat(60 * KIB);
  const told = ["a", "b", "c"].map((name) => peer.notify(name, text).then(() => settled.push(name)));
  const calls = Promise.allSettled(["d", "e"].map((name) => peer.request(name, text)));
  await told[0];
  await delay(5);
  // The first one fits; what is sent from then on waits, and the requests are not even made.
  assert.deepEqual(settled, ["a"]);
  assert.ok(pipe.given < 4 * 60 * KIB, String(pipe.given));
  await pipe.take();
  await Promise.all(told);
  assert.deepEqual(settled, ["a", "b", "c"]);
  await pipe.take();
  assert.ok(pipe.given > 5 * 60 * KIB, "the requests are sent");
  pipe.receiver!.data(
    new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":1}\n{"jsonrpc":"2.0","id":2,"result":2}\n'),
  );
  assert.deepEqual(
    (await calls).map(({ status }) => status),
    ["fulfilled", "fulfilled"],
  );
  await peer.close();
});

test("[E4] [X-06] the queue is full past maxQueuedBytes and not at it; with 0 one message is on its way at a time", async () => {
  const params = "x".repeat(KIB);
  const size = JSON.stringify({ jsonrpc: "2.0", method: "a", params }).length;
  for (const [maxQueuedBytes, isFull] of [
    [size, false],
    [size - 1, true],
    [0, true],
  ] as const) {
    const { pipe, peer } = slowPeer({ maxQueuedBytes });
    const told = peer.notify("a", params);
    assert.equal(peer.room() !== undefined, isFull, String(maxQueuedBytes));
    await pipe.take();
    await told;
    assert.equal(peer.room(), undefined);
    await peer.close();
  }
});

test("[E4] [X-06] a queue that was full and has room is full again, and what waits then goes on too", async () => {
  const { pipe, peer } = slowPeer({ maxQueuedBytes: KIB });
  const calls: Promise<unknown>[] = [];
  for (let round = 1; round <= 3; round++) {
    void peer.notify("fills", "x".repeat(2 * KIB));
    const { given } = pipe;
    calls.push(peer.request("waits"));
    await pipe.take();
    // Only once the queue has room is the request made, and then written.
    await pipe.take();
    assert.ok(pipe.given > given, `round ${round}`);
  }
  pipe.receiver!.data(
    new TextEncoder().encode([1, 2, 3].map((id) => `{"jsonrpc":"2.0","id":${id},"result":${id}}\n`).join("")),
  );
  assert.deepEqual(await Promise.all(calls), [1, 2, 3]);
  await peer.close();
});

test("[E4] [X-06] answers wait while the queue is full and count as in flight until then", async () => {
  const limits = { maxQueuedBytes: 100 * KIB, maxInFlight: 3 };
  const { pipe, peer } = slowPeer(limits, { request: () => "x".repeat(200 * KIB) });
  const ask = (id: number) =>
    pipe.receiver!.data(new TextEncoder().encode(`{"jsonrpc":"2.0","id":${id},"method":"a"}\n`));
  for (let id = 1; id <= 10; id++) ask(id);
  assert.equal(peer.serving, 3, "one answer is queued, three wait, the others are refused");
  for (let taken = 0; peer.serving > 0; taken++) {
    assert.ok(taken < 10, "there are four answers");
    await pipe.take();
    // Who waits for room is let on in turns of its own.
    for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => nextTurn(resolve));
  }
  assert.ok(pipe.given > 4 * 200 * KIB && pipe.given < 4 * 201 * KIB + 10 * KIB, String(pipe.given));
  await peer.close();
});

test("[E4] [X-06] who reads nothing and is told more and more is given up, by the limit's name", async () => {
  const reasons: ExtensionError[] = [];
  const limits = { maxQueuedBytes: 10 * KIB, maxMessageBytes: 10 * KIB };
  const { peer } = slowPeer(limits, { closed: (reason) => void reasons.push(reason) });
  const told = Array.from({ length: 100 }, () => peer.notify("progress", "x".repeat(KIB)));
  const results = await Promise.allSettled(told);
  assert.ok(results.some(({ status }) => status === "rejected"));
  assert.equal(reasons[0]?.code, "limit");
  assert.match(String(reasons[0]), /exceeds maxQueuedBytes \(10240 bytes\) plus maxMessageBytes/);
});

test("[E4] over a socket whose other end does not read, timers go on and all arrives once it does", async () => {
  const [near, far] = await socketPair();
  const limits = { maxQueuedBytes: 256 * KIB };
  const peer = new Peer(
    pipeChannel(new NodePipe(near, near), scalarCodec, "lines", limits),
    {},
    { limits, timeoutMs: 0 },
  );
  far.pause();
  let done = 0;
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const calls = Promise.all(
    Array.from({ length: 400 }, async () => {
      await peer.request("a", "x".repeat(64 * KIB));
      done++;
    }),
  );
  while (ticks < 20) await delay(5);
  assert.equal(done, 0);
  const wire = new SocketWire(far, "lines");
  far.resume();
  for (let i = 0; i < 400; i++) {
    const { id, params } = await wire.next();
    assert.equal(params.length, 64 * KIB);
    wire.send(`{"jsonrpc":"2.0","id":${id},"result":1}`);
  }
  await calls;
  clearInterval(timer);
  await peer.close();
  wire.end();
});

test("[D5] what waits for room is settled when the other side goes", async () => {
  const [near, far] = await socketPair();
  const peer = new Peer(pipeChannel(new NodePipe(near, near), scalarCodec, "lines", { maxQueuedBytes: KIB }), {});
  far.pause();
  const told = assert.rejects(peer.notify("large", "x".repeat(8 * KIB * KIB)), ExtensionError);
  const call = assert.rejects(peer.request("behind", undefined, { timeoutMs: 0 }), ExtensionError);
  await delay(5);
  far.destroy();
  await told;
  await call;
  await peer.close();
});
