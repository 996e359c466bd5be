/** What a transport delivers. Its types say bytes, but many a stream is typed as one of anything. */

/** Throws a TypeError that says what came in place of bytes. */
export function checkChunk(chunk: Uint8Array): void {
  if (chunk instanceof Uint8Array) return;
  // One of another realm, as from a frame in a page, is none by its class.
  const kind = Object.prototype.toString.call(chunk);
  if (kind !== "[object Uint8Array]") throw new TypeError(`not a Uint8Array, ${kind}: encode or wrap it`);
}
