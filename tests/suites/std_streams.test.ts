/** The contracts of `@std/streams` that this project counts on: its stand-in keeps them as the real package does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LimitedBytesTransformStream, toArrayBuffer, toText } from "@std/streams";

function streamOf<T>(...chunks: T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function collect<T>(stream: ReadableStream<T>): Promise<T[]> {
  const found: T[] = [];
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) found.push(read.value);
  return found;
}

const bytes = (...values: number[]) => new Uint8Array(values);

test("toText joins strings, and bytes cut inside a character", async () => {
  assert.equal(await toText(streamOf("Hello, ", "world!")), "Hello, world!");
  const encoded = new TextEncoder().encode("é — 😀");
  for (let cut = 0; cut <= encoded.length; cut++) {
    assert.equal(await toText(streamOf(encoded.subarray(0, cut), encoded.subarray(cut))), "é — 😀");
  }
  assert.equal(await toText(streamOf<Uint8Array>()), "");
  assert.equal(await toText(streamOf(bytes(0x61, 0xe2, 0x82))), "a\ufffd");
});

test("toArrayBuffer joins chunks in order, views into a larger buffer too", async () => {
  const large = bytes(9, 1, 2, 9).subarray(1, 3);
  assert.deepEqual(new Uint8Array(await toArrayBuffer(streamOf(large, bytes(), bytes(3)))), bytes(1, 2, 3));
  assert.equal((await toArrayBuffer(streamOf<Uint8Array>())).byteLength, 0);
});

test("collecting passes on what the stream fails with", async () => {
  const broken = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("cut off"));
      },
    });
  await assert.rejects(toText(broken()), /cut off/);
  await assert.rejects(toArrayBuffer(broken()), /cut off/);
});

test("LimitedBytesTransformStream stops before the chunk that is too much, or fails", async () => {
  const limit = (size: number, error?: boolean) =>
    collect(
      streamOf(bytes(1, 2), bytes(3, 4)).pipeThrough(
        error === undefined ? new LimitedBytesTransformStream(size) : new LimitedBytesTransformStream(size, { error }),
      ),
    );
  assert.deepEqual(await limit(4), [bytes(1, 2), bytes(3, 4)]);
  assert.deepEqual(await limit(3), [bytes(1, 2)]);
  assert.deepEqual(await limit(1), []);
  assert.deepEqual(await limit(4, true), [bytes(1, 2), bytes(3, 4)]);
  await assert.rejects(limit(3, true), RangeError);
});

test("LimitedBytesTransformStream cancels its source once the limit is passed", async () => {
  for (const error of [false, true]) {
    let limited: Promise<ArrayBuffer> | undefined;
    await new Promise<void>((cancel) => {
      const endless = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(bytes(1, 2, 3)), cancel });
      limited = toArrayBuffer(endless.pipeThrough(new LimitedBytesTransformStream(7, { error })));
      limited.catch(() => {});
    });
    if (error) await assert.rejects(limited!, RangeError);
    else assert.equal((await limited!).byteLength, 6);
  }
});
