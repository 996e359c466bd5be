/** The codecs as web streams, piped through what a platform brings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CodecError } from "../../codec/codec.ts";
import { encodeFrames } from "../../codec/encode.ts";
import {
  type Frame,
  FrameDecoderStream,
  FrameEncoderStream,
  LineDecoderStream,
  LineEncoderStream,
} from "../../codec/streams.ts";
import { CODECS } from "../support/codec/codecs.ts";

function streamOf<T>(items: readonly T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item);
      controller.close();
    },
  });
}

async function collect<T>(stream: ReadableStream<T>): Promise<T[]> {
  const items: T[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return items;
    items.push(value);
  }
}

/** Cuts what goes through into pieces of `size` bytes. */
function cutting(size: number): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += size) controller.enqueue(chunk.slice(at, at + size));
    },
  });
}

const texts = ['{"a":1}', '"é — 漢字 😀"', "x".repeat(5000)];

for (const { title, codec } of CODECS) {
  test(`[D-01] [A1] lines go through an encoder, a transform that cuts, and a decoder, by ${title}`, async () => {
    for (const size of [1, 7, 100_000]) {
      const lines = streamOf(texts).pipeThrough(new LineEncoderStream()).pipeThrough(cutting(size));
      assert.deepEqual(await collect(lines.pipeThrough(new LineDecoderStream({ codec }))), texts);
    }
  });

  test(`[M-01] [M-02] [M-03] frames go through an encoder, a transform that cuts, and a decoder, by ${title}`, async () => {
    const frames: Frame[] = [
      ...texts.map((text) => ({ kind: "text" as const, text })),
      { kind: "attachment", body: new Uint8Array(10_000).fill(7) },
      { kind: "attachment", body: new Uint8Array(0) },
    ];
    for (const size of [1, 7, 100_000]) {
      const bytes = streamOf(frames).pipeThrough(new FrameEncoderStream()).pipeThrough(cutting(size));
      assert.deepEqual(await collect(bytes.pipeThrough(new FrameDecoderStream({ codec }))), frames);
    }
  });
}

test("[D-01] a decoder composes with compression", async () => {
  const packed = streamOf(texts)
    .pipeThrough(new LineEncoderStream())
    .pipeThrough(new CompressionStream("gzip") as TransformStream);
  const unpacked = packed.pipeThrough(new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>);
  assert.deepEqual(await collect(unpacked.pipeThrough(new LineDecoderStream())), texts);
});

test("[X-13] [B1] [B9] a stream of frames errors with the codec's own error", async () => {
  const http = streamOf([new TextEncoder().encode("GET / HTTP/1.1\r\n")]);
  const cut = streamOf([(encodeFrames(["{}"])[0] as Uint8Array).slice(0, 6)]);
  for (const [bytes, code] of [
    [http, "limit"],
    [cut, "truncated"],
  ] as const) {
    await assert.rejects(collect(bytes.pipeThrough(new FrameDecoderStream())), (error) => {
      assert.ok(error instanceof CodecError);
      assert.equal(error.code, code);
      return true;
    });
  }
});

test("[X-06] [A14] a stream takes a limit and tells notices", async () => {
  const notices: string[] = [];
  const bytes = streamOf([new Uint8Array([0x22, 0x97, 0x22, 0x0a])]);
  const options = { maxMessageBytes: 3, onNotice: ({ code }: { code: string }) => void notices.push(code) };
  assert.deepEqual(await collect(bytes.pipeThrough(new LineDecoderStream(options))), ['"\ufffd"']);
  assert.deepEqual(notices, ["not-utf8"]);
  const long = streamOf([new TextEncoder().encode("abcd\n")]);
  await assert.rejects(
    collect(long.pipeThrough(new LineDecoderStream(options))),
    /longer than maxMessageBytes \(3 bytes\)/,
  );
});

test("[M-03] an attachment given back to its stream is used for the next one", async () => {
  const decoder = new FrameDecoderStream();
  const frame = new Uint8Array([0, 0, 0, 4, 1, 1, 2, 3]);
  const writer = decoder.writable.getWriter();
  const reader = decoder.readable.getReader();
  const next = async (): Promise<Uint8Array> => {
    void writer.write(frame);
    const { value } = await reader.read();
    assert.ok(value?.kind === "attachment");
    return value.body;
  };
  const first = await next();
  decoder.recycle(first);
  assert.equal((await next()).buffer, first.buffer);
});
