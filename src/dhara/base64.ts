/** Base64 as content carries it (D-15). */

/** A multiple of three, so that only the last piece is padded, and few enough for one call's arguments. */
const PIECE = 0x6000;

export function toBase64(bytes: Uint8Array): string {
  const native = (bytes as { toBase64?: () => string }).toBase64;
  if (native !== undefined) return native.call(bytes);
  const pieces: string[] = [];
  for (let i = 0; i < bytes.length; i += PIECE) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(i, i + PIECE))));
  }
  return pieces.join("");
}
