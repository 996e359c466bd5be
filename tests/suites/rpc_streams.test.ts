/** Connections over web streams of every kind: those that break, keep their chunks, give them away, or are none of bytes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CodecError } from "../../codec/codec.ts";
import { scalarCodec } from "../../codec/scalar.ts";
import { FrameDecoderStream, LineDecoderStream } from "../../codec/streams.ts";
import { MxClient } from "../../src/mx/extension.ts";
import { MxGate } from "../../src/mx/host.ts";
import type { VmRuntime } from "../../src/mx/vm_runtime.ts";
import { ExtensionError } from "../../src/rpc/errors.ts";
import { Peer } from "../../src/rpc/peer.ts";
import type { Pipe } from "../../src/rpc/pipe.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { type StreamPair, streamPipe } from "../../src/rpc/stream_pipe.ts";
import { nextTurn } from "../../src/rpc/turn.ts";
import { rejected } from "../support/rejected.ts";

/** Takes all that is written and never fails, or does what `sink` says. */
function writableOf(sink: UnderlyingSink<Uint8Array> = {}, highWaterMark = 1): WritableStream<Uint8Array> {
  return new WritableStream(sink, { highWaterMark });
}

function silent(): ReadableStream<Uint8Array> {
  return new ReadableStream({});
}

function peerOver(pair: StreamPair, request?: () => unknown): Peer {
  return new Peer(pipeChannel(streamPipe(pair), scalarCodec, "lines"), request ? { request } : {}, { timeoutMs: 0 });
}

/** Two pairs, each the other's far end. */
function linked(make: () => StreamPair = () => new TransformStream()): [StreamPair, StreamPair] {
  const [there, back] = [make(), make()];
  return [
    { readable: back.readable, writable: there.writable },
    { readable: there.readable, writable: back.writable },
  ];
}

/** What is written comes out of a stream of bytes, whose controller takes the memory of its chunks away. */
function transferring(): StreamPair {
  let controller: ReadableByteStreamController;
  const readable = new ReadableStream({
    type: "bytes",
    start(started) {
      controller = started;
    },
  });
  const writable = writableOf({
    write: (chunk) => controller.enqueue(chunk as Uint8Array<ArrayBuffer>),
    close: () => controller.close(),
  });
  return { readable, writable };
}

/** What is written lies about, as it is, until it is delivered a turn later. */
function keeping(): StreamPair {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const later = (deliver: () => Promise<void>) => nextTurn(() => void deliver().catch(() => {}));
  return {
    readable,
    writable: writableOf({
      write: (chunk) => later(() => writer.write(chunk)),
      close: () => later(() => writer.close()),
    }),
  };
}

/** As Node's Buffer: what it calls slices is no copy. */
class Sharing extends Uint8Array {
  override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    return this.subarray(start, end) as Uint8Array<ArrayBuffer>;
  }
}

describe("a stream that breaks", () => {
  test("[D23] ends the calls in flight, though it took what was written", async () => {
    for (const highWaterMark of [1, 1_000]) {
      let broken: WritableStreamDefaultController | undefined;
      let wrote: () => void;
      const writing = new Promise<void>((resolve) => {
        wrote = resolve;
      });
      const start = (controller: WritableStreamDefaultController) => void (broken = controller);
      const writable = writableOf({ start, write: () => wrote() }, highWaterMark);
      const call = rejected(peerOver({ readable: silent(), writable }).request("ping"));
      await writing;
      broken?.error(new Error("the wire was cut"));
      const error = await call;
      assert.equal(error.code, "disconnected");
      assert.match(error.message, /the wire was cut/);
    }
  });

  test("[D23] ends the calls in flight when a write fails, and when nobody reads any more", async () => {
    const failing = writableOf({ write: () => Promise.reject(new Error("no carrier")) }, 1_000);
    assert.match(
      (await rejected(peerOver({ readable: silent(), writable: failing }).request("ping"))).message,
      /no carrier/,
    );
    const [{ writable }, { readable }] = linked();
    const call = rejected(peerOver({ readable: silent(), writable }).request("ping"));
    const reader = readable.getReader();
    await reader.read();
    await reader.cancel("seen enough");
    assert.match((await call).message, /seen enough/);
  });

  test("says which error it was, whatever was thrown", async () => {
    const readable = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error("a word") });
    const error = await rejected(peerOver({ readable, writable: writableOf() }).request("ping"));
    assert.deepEqual([error.code, error.message], ["disconnected", "the connection broke: a word"]);
  });

  test("is told from one that the other side closed", async () => {
    for (const make of [undefined, transferring, keeping]) {
      const [ours, theirs] = linked(make);
      const peer = peerOver(ours);
      const other = peerOver(theirs, () => {
        void other.close();
        return new Promise(() => {});
      });
      const error = await rejected(peer.request("ping"));
      assert.deepEqual([error.code, error.message], ["disconnected", "the other side closed the connection"]);
    }
  });
});

describe("what is written to a stream", () => {
  for (const [what, make] of [
    ["keeps its chunks", keeping],
    ["gives the memory of its chunks away", transferring],
  ] as const) {
    test(`stays what it was where a stream ${what}, and the VM keeps its pixels`, async () => {
      const pixels = new Sharing(64 * 64 * 4).fill(1);
      let released = 0;
      const vms: VmRuntime = {
        list: () => [{ id: "one", name: "One" }],
        capture: () => ({
          width: 64,
          height: 64,
          stride: 256,
          format: "rgba",
          pixels,
          release: () => pixels.fill(++released + 1),
        }),
      };
      const [host, extension] = linked(make);
      const gate = new MxGate({ id: "x", codec: scalarCodec, vms, onSession() {} });
      gate.accept(streamPipe(host));
      const token = gate.environment("streams").MX_EXTENSION_TOKEN;
      const channel = pipeChannel(streamPipe(extension), scalarCodec, "frames");
      const client = await MxClient.connect(channel, { id: "x", token, codec: scalarCodec });
      // Between messages, and one after the other: each has the colour that it was captured with.
      for (let colour = 1; colour <= 3; colour++) {
        const [{ rgba }, vm] = await Promise.all([client.captureFramebuffer("one"), client.listVms()]);
        assert.deepEqual([[...new Set(rgba)], rgba.length, vm.length], [[colour], pixels.length, 1]);
      }
      assert.equal(pixels.length, 64 * 64 * 4);
      await client.close();
      await gate.close();
    });
  }

  test("arrives where a stream never says that it wants more", async () => {
    const [ours, theirs] = linked(() => new TransformStream({}, { highWaterMark: 0 }));
    peerOver(theirs, () => "pong");
    const peer = peerOver(ours);
    assert.equal(await peer.request("ping"), "pong");
    await peer.close();
  });
});

describe("the locks of two streams", () => {
  test("are taken at once, and neither where one is taken already", () => {
    for (const which of ["readable", "writable"] as const) {
      const pair = { readable: silent(), writable: writableOf() };
      const other = which === "readable" ? pair.writable : pair.readable;
      if (which === "readable") pair.readable.getReader();
      else pair.writable.getWriter();
      assert.throws(() => streamPipe(pair), new RegExp(`the ${which} stream is locked: release`));
      assert.equal(other.locked, false);
    }
  });

  test("leave streams that are ended when the connection is closed, also one that nobody opened", async () => {
    for (const open of [true, false]) {
      const ended: string[] = [];
      const readable = new ReadableStream<Uint8Array>({ cancel: (why) => void ended.push(String(why)) });
      const writable = writableOf({ close: () => void ended.push("closed") });
      const channel = pipeChannel(streamPipe({ readable, writable }), scalarCodec, "lines");
      if (open) new Peer(channel);
      await channel.close();
      assert.deepEqual(ended, ["closed", "Error: the connection was closed"]);
    }
  });
});

describe("what is no bytes", () => {
  const bytes = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":1}\n');
  const none: [chunk: unknown, told: RegExp][] = [
    ['{"jsonrpc":"2.0","id":1,"result":1}\n', /a chunk must be a Uint8Array, not .object String.: encode or wrap it/],
    [bytes.buffer, /a chunk must be a Uint8Array, not .object ArrayBuffer.: encode or wrap it/],
    [new Uint16Array(4), /a chunk must be a Uint8Array, not .object Uint16Array.: encode or wrap it/],
    [null, /a chunk must be a Uint8Array, not .object Null.: encode or wrap it/],
  ];

  test("ends a connection with what came instead", async () => {
    for (const framing of ["lines", "frames"] as const) {
      for (const [chunk, told] of none) {
        const readable = new ReadableStream({ start: (controller) => controller.enqueue(chunk as Uint8Array) });
        const channel = pipeChannel(streamPipe({ readable, writable: writableOf() }), scalarCodec, framing);
        const error = await rejected(new Peer(channel).request("ping", undefined, { timeoutMs: 0 }));
        assert.equal(error.code, "disconnected");
        assert.match(error.message, told);
      }
    }
  });

  test("ends a stream of decoded messages with what came instead", async () => {
    for (const decoder of [new LineDecoderStream(), new FrameDecoderStream()]) {
      const [chunk, told] = none[0]!;
      const writer = decoder.writable.getWriter();
      const reading = rejected(decoder.readable.getReader().read());
      const writing = rejected(writer.write(chunk as Uint8Array));
      for (const error of [await reading, await writing]) {
        assert.ok(!(error instanceof CodecError));
        assert.match(error.message, told);
      }
    }
  });
});

describe("a pipe of somebody else's", () => {
  const pipe: Pipe = { open() {}, write: () => undefined, end: () => Promise.resolve(), destroy() {} };

  test("[B10] [D23] that throws when it should write ends its connection and nothing else", async () => {
    const write = () => {
      throw new Error("still connecting");
    };
    const error = await rejected(new Peer(pipeChannel({ ...pipe, write }, scalarCodec, "lines")).request("ping"));
    assert.ok(error instanceof ExtensionError);
    assert.deepEqual([error.code, error.message], ["disconnected", "the connection broke: still connecting"]);
  });

  test("[B13] that can't end in order is ended all the same", async () => {
    let destroyed = 0;
    for (const end of [
      () => Promise.reject(new Error("it is gone")),
      () => {
        throw new Error("it is gone");
      },
    ]) {
      const peer = new Peer(pipeChannel({ ...pipe, end, destroy: () => void destroyed++ }, scalarCodec, "lines"));
      await peer.close();
    }
    assert.equal(destroyed, 2);
  });
});
