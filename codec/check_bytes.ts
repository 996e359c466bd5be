/** Bytes from outside. Types say what they are, but many a stream is typed as one of anything. */

/** Throws a TypeError that says what came in place of bytes. */
export function checkBytes(bytes: Uint8Array, what: string): void {
  if (bytes instanceof Uint8Array) return;
  // One of another realm, as from a frame in a page or a test runner's sandbox, is none by its class.
  const kind = Object.prototype.toString.call(bytes);
  if (kind !== "[object Uint8Array]")
    throw new TypeError(`${what} must be a Uint8Array, not ${kind}: encode or wrap it`);
}
