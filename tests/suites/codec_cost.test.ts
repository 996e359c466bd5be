/** Cost is linear however the bytes are cut: counted in bytes touched, because seconds depend on who else is busy. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Codec, Decoder } from "../../codec/codec.ts";
import { CODECS } from "../support/codec/codecs.ts";
import type { Format } from "../support/codec/record.ts";

/** Scanned, kept, moved as the buffer grows, decoded, and a copy into the module with another scan: no more. */
const MOST_TOUCHES = 8;
const MiB = 1024 * 1024;

interface Outcome {
  readonly decoder: Decoder;
  readonly messages: number;
  readonly failure: string | undefined;
}

function feed(
  codec: Codec,
  format: Format,
  bytes: Uint8Array,
  chunkBytes: number,
  maxMessageBytes = 64 * MiB,
): Outcome {
  let messages = 0;
  let failure: string | undefined;
  const decoder = codec[format](
    {
      text: () => messages++,
      attachment: () => messages++,
      notice: () => {},
      fail: (error) => {
        failure = error.message;
      },
    },
    { maxMessageBytes },
  );
  for (let at = 0; at < bytes.length; at += chunkBytes) decoder.push(bytes.subarray(at, at + chunkBytes));
  decoder.end();
  return { decoder, messages, failure };
}

function line(length: number, fill = 0x61): Uint8Array {
  const bytes = new Uint8Array(length).fill(fill);
  bytes[length - 1] = 0x0a;
  return bytes;
}

function frame(length: number, kind: number): Uint8Array {
  const bytes = new Uint8Array(length).fill(0x61);
  new DataView(bytes.buffer).setUint32(0, length - 4);
  bytes[4] = kind;
  return bytes;
}

function repeated(message: Uint8Array, count: number): Uint8Array {
  const bytes = new Uint8Array(message.length * count);
  for (let index = 0; index < count; index++) bytes.set(message, index * message.length);
  return bytes;
}

const streams: readonly (readonly [what: string, format: Format, make: (size: number) => Uint8Array])[] = [
  ["one line", "lines", line],
  ["one line of two-byte characters", "lines", (size) => new TextEncoder().encode(`${"é".repeat(size / 2 - 1)} \n`)],
  ["lines of 100 bytes", "lines", (size) => repeated(line(100), Math.floor(size / 100))],
  ["blank lines", "lines", (size) => new Uint8Array(size).fill(0x0a)],
  ["one text frame", "frames", (size) => frame(size, 0)],
  ["one attachment", "frames", (size) => frame(size, 1)],
  ["one frame of an unknown kind", "frames", (size) => frame(size, 9)],
  ["frames of 100 bytes", "frames", (size) => repeated(frame(100, 0), Math.floor(size / 100))],
  ["empty frames", "frames", (size) => repeated(frame(5, 0), Math.floor(size / 5))],
];

for (const { title, codec } of CODECS) {
  describe(title, () => {
    for (const [what, format, make] of streams) {
      test(`[A13] [A10] [D-01] [M-01] ${what}: a byte at a time, 1 KiB at a time and whole cost alike, by ${title}`, () => {
        for (const chunkBytes of [1, 1024, MiB]) {
          const half = feed(codec, format, make(MiB / 8), chunkBytes);
          const whole = feed(codec, format, make(MiB / 4), chunkBytes);
          for (const { decoder } of [half, whole]) {
            const perByte = decoder.touched / decoder.consumed;
            assert.ok(perByte <= MOST_TOUCHES, `${perByte} touches a byte in chunks of ${chunkBytes}`);
          }
          const growth = whole.decoder.touched / half.decoder.touched;
          assert.ok(growth < 2.2, `twice the bytes cost ${growth} times as much in chunks of ${chunkBytes}`);
        }
      });
    }

    test(`[A10] [X-06] 64 MiB without an LF stop at the limit, which the error names, by ${title}`, () => {
      const chunk = new Uint8Array(64 * 1024).fill(0x61);
      const failures: string[] = [];
      const decoder = codec.lines({
        text: () => assert.fail("a text"),
        attachment: () => assert.fail("an attachment"),
        notice: ({ message }) => assert.fail(message),
        fail: (error) => failures.push(`${error.code} ${error.message}`),
      });
      for (let pushed = 0; pushed <= 65 * MiB; pushed += chunk.length) decoder.push(chunk);
      decoder.end();
      assert.equal(failures.length, 1);
      assert.match(failures[0] as string, /^limit line at byte 0 exceeds maxMessageBytes \(67108864 bytes\)/);
      assert.ok(decoder.touched < 64 * MiB * MOST_TOUCHES);
    });

    test(`[A10] [A13] a legal line of 32 MiB in chunks of 1 KiB arrives at linear cost, by ${title}`, () => {
      const { decoder, messages } = feed(codec, "lines", line(32 * MiB), 1024);
      assert.equal(messages, 1);
      assert.ok(decoder.touched <= 32 * MiB * MOST_TOUCHES, `${decoder.touched / MiB} MiB touched`);
    });

    test(`[A11] [X-06] the limit counts a message, not a chunk, by ${title}`, () => {
      const chunk = new Uint8Array([...line(MiB), ...line(100)]);
      const { messages, failure } = feed(codec, "lines", chunk, chunk.length, MiB);
      assert.equal(failure, undefined);
      assert.equal(messages, 2);
    });

    test(`[X-06] what is over the limit is not buffered: it is not even copied, by ${title}`, () => {
      for (const [format, bytes] of [
        ["lines", line(MiB)],
        ["frames", frame(MiB, 0)],
        ["frames", frame(MiB, 1)],
      ] as const) {
        const { decoder, failure } = feed(codec, format, bytes, 64 * 1024, 1000);
        assert.match(failure ?? "", /maxMessageBytes \(1000 bytes\)/);
        assert.ok(decoder.touched <= 3 * 64 * 1024, `${decoder.touched} bytes touched`);
      }
    });
  });
}

test("[A13] the count of touched bytes sees a decoder that joins its buffer anew for every chunk", () => {
  let touched = 0;
  let joined = new Uint8Array(0);
  for (let count = 0; count < 256; count++) {
    const next = new Uint8Array(joined.length + 1024);
    next.set(joined);
    touched += next.length;
    joined = next;
  }
  assert.ok(touched / joined.length > MOST_TOUCHES, "else the limit above proves nothing");
});
