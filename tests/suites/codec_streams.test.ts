/** The codecs as web streams, piped through what a platform brings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LimitedBytesTransformStream, toText } from "@std/streams";
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

function utf16Of(text: string): Uint8Array {
  return new Uint8Array(Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).buffer);
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

/** Standard transforms that give back what goes in, cut in other places and late. */
const ROUND_TRIPS: readonly (readonly [
  name: string,
  (bytes: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>,
])[] = [
  ...(["gzip", "deflate", "deflate-raw"] as const).map(
    (format) =>
      [
        `${format} and back`,
        (bytes: ReadableStream<Uint8Array>) =>
          bytes
            .pipeThrough(new CompressionStream(format) as TransformStream<Uint8Array, Uint8Array>)
            .pipeThrough(new DecompressionStream(format) as TransformStream<Uint8Array, Uint8Array>),
      ] as const,
  ),
  [
    "a limit of @std/streams that is not reached",
    (bytes) => bytes.pipeThrough(new LimitedBytesTransformStream(1_000_000, { error: true })),
  ],
  ["a transform that passes everything on", (bytes) => bytes.pipeThrough(new TransformStream())],
];

for (const [name, through] of ROUND_TRIPS) {
  test(`[D-01] [M-01] decoders compose with ${name}`, async () => {
    const lines = through(streamOf(texts).pipeThrough(new LineEncoderStream()));
    assert.deepEqual(await collect(lines.pipeThrough(new LineDecoderStream())), texts);
    const frames: Frame[] = [
      { kind: "text", text: texts[1]! },
      { kind: "attachment", body: new Uint8Array(100_000).fill(7) },
    ];
    const framed = through(streamOf(frames).pipeThrough(new FrameEncoderStream()));
    assert.deepEqual(await collect(framed.pipeThrough(new FrameDecoderStream())), frames);
  });
}

test("[D-01] a decoder composes with text transforms on both of its sides", async () => {
  const utf16 = streamOf(texts.map((text) => utf16Of(`${text}\n`)));
  const utf8 = utf16
    .pipeThrough(new TextDecoderStream("utf-16le") as TransformStream<Uint8Array, string>)
    .pipeThrough(new TextEncoderStream() as TransformStream<string, Uint8Array>);
  const lines = utf8.pipeThrough(new LineDecoderStream());
  const bytes = lines.pipeThrough(new TextEncoderStream() as TransformStream<string, Uint8Array>);
  assert.equal(await toText(bytes), texts.join(""));
});

test("[X-06] a limit of @std/streams before a decoder ends it as any end of the stream does, or with its error", async () => {
  const encoded = () => streamOf(["{}", "[1,2,3]"]).pipeThrough(new LineEncoderStream()).pipeThrough(cutting(1));
  const limited = encoded().pipeThrough(new LimitedBytesTransformStream(3));
  assert.deepEqual(await collect(limited.pipeThrough(new LineDecoderStream())), ["{}"]);
  const refused = encoded().pipeThrough(new LimitedBytesTransformStream(3, { error: true }));
  await assert.rejects(collect(refused.pipeThrough(new LineDecoderStream())), RangeError);
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
    /exceeds maxMessageBytes \(3 bytes\)/,
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
