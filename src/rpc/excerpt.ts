/** The beginning of a text that is too long to be shown or kept. */

/** The text itself, or its beginning, for an error message. */
export function shortened(text: string, length = 120): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The same in quotes. */
export function excerpt(text: string, length?: number): string {
  return JSON.stringify(shortened(text, length));
}

/** The beginning of `text` that fits into so many bytes of UTF-8; characters are not cut. */
export function cutToBytes(text: string, bytes: number): string {
  // One UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return read === text.length ? text : text.slice(0, read);
}
