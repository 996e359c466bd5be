/** What a transport delivers. Its types say bytes, but many a stream is typed as one of anything. */

/** Throws a TypeError that says what came in place of bytes. */
export function checkChunk(chunk: Uint8Array): void {
  if (chunk instanceof Uint8Array) return;
  // By its tag where it is of another realm, as from a frame in a page.
  const [, tag] = /\w+ (\w+)/.exec(Object.prototype.toString.call(chunk))!;
  if (tag === "Uint8Array") return;
  throw new TypeError(`bytes must come as Uint8Array, not as ${tag}: encode or wrap it`);
}
