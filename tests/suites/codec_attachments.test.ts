/** Where the bytes of attachments go: one copy, into memory that is used again, and never by a claim alone. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DecoderSink } from "../../codec/codec.ts";
import { encodeFrames } from "../../codec/encode.ts";
import { allocatedBytes } from "../support/codec/allocations.ts";
import { CODECS } from "../support/codec/codecs.ts";

const CHUNK_BYTES = 64 * 1024;
/** 3840 x 2160 pixels and the header of a framebuffer. */
const FRAMEBUFFER_BYTES = 3840 * 2160 * 4 + 24;

function sinkFor(attachment: (body: Uint8Array) => void): DecoderSink {
  return {
    text: () => assert.fail("a text"),
    attachment,
    notice: ({ message }) => assert.fail(message),
    fail: (error) => assert.fail(error),
  };
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

/** Where the two differ, or -1. */
function firstDifference(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) return Math.min(one.length, other.length);
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return at;
  return -1;
}

/** One attachment's frame, as one array. */
function frameOf(body: Uint8Array): Uint8Array {
  const [header] = encodeFrames([[body]]);
  const frame = new Uint8Array(5 + body.length);
  frame.set(header as Uint8Array);
  frame.set(body, 5);
  return frame;
}

for (const { title, codec } of CODECS) {
  describe(title, () => {
    test(`[M-03] [X-10] an attachment of 33 MB is copied once, by ${title}`, () => {
      const body = new Uint8Array(FRAMEBUFFER_BYTES);
      for (let at = 0; at < body.length; at++) body[at] = at * 31;
      const received: Uint8Array[] = [];
      const decoder = codec.frames(sinkFor((attachment) => received.push(attachment)));
      for (const chunk of chunksOf(frameOf(body))) decoder.push(chunk);
      assert.equal(received.length, 1);
      assert.equal(firstDifference(received[0]!, body), -1);
      assert.ok(decoder.touched <= body.length + 100, `${decoder.touched} bytes touched for ${body.length}`);
    });

    test(`[M-03] a steady stream of attachments that are given back allocates nothing after the first, by ${title}`, () => {
      const body = new Uint8Array(FRAMEBUFFER_BYTES);
      const frame = frameOf(body);
      const buffers = new Set<ArrayBufferLike>();
      let waiting: Uint8Array | undefined;
      const decoder = codec.frames(
        sinkFor((attachment) => {
          buffers.add(attachment.buffer);
          waiting = attachment;
        }),
      );
      const pushAll = (): void => {
        for (const chunk of chunksOf(frame)) decoder.push(chunk);
        decoder.recycle(waiting as Uint8Array);
      };
      const first = allocatedBytes(pushAll);
      assert.ok(first >= body.length && first < body.length + 100_000, `${first} bytes for the first`);
      const more = allocatedBytes(() => {
        for (let count = 0; count < 4; count++) pushAll();
      });
      assert.ok(more < 100_000, `${more} bytes for four more`);
      assert.equal(buffers.size, 1);
    });

    test(`[B3] [X-06] a claim allocates nothing before its bytes arrive, by ${title}`, () => {
      const claim = new Uint8Array([0x03, 0xff, 0xff, 0xff, 1]);
      const allocated = allocatedBytes(() => {
        for (let index = 0; index < 100; index++) {
          const decoder = codec.frames(sinkFor(() => {}));
          decoder.push(claim);
          decoder.push(new Uint8Array([1, 2, 3]));
        }
      });
      assert.ok(allocated < 1_000_000, `${allocated} bytes for 100 claims of 64 MiB`);
    });

    test(`[M-03] no two attachments share memory, whatever is given back, by ${title}`, () => {
      const received: Uint8Array[] = [];
      const decoder = codec.frames(sinkFor((attachment) => received.push(attachment)));
      const push = (fill: number): Uint8Array => {
        decoder.push(frameOf(new Uint8Array(1000).fill(fill)));
        return received.at(-1)!;
      };
      const foreign = new Uint8Array(1000);
      decoder.recycle(foreign);
      const first = push(1);
      assert.notEqual(first.buffer, foreign.buffer);
      const second = push(2);
      assert.notEqual(second.buffer, first.buffer);
      // Twice, by views: it still comes out once.
      decoder.recycle(first.subarray(10));
      decoder.recycle(first);
      const third = push(3);
      assert.equal(third.buffer, first.buffer);
      assert.notEqual(push(4).buffer, first.buffer);
      assert.ok(second.every((byte) => byte === 2) && third.every((byte) => byte === 3));
    });
  });
}
