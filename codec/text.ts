/** UTF-8 bytes to text. The decoders drop one byte order mark at the start, as D-01 asks. */

const SPACE = 0x20;

export interface DecodedText {
  readonly text: string;
  /** False where bytes were not UTF-8 and U+FFFD stands for them. */
  readonly wellFormed: boolean;
}

/** Not made at import time: some runtimes charge for it there. */
let decoder: TextDecoder | undefined;
let exactDecoder: TextDecoder | undefined;
let strictDecoder: TextDecoder | undefined;

const REPLACEMENT = "\ufffd";

/** Decodes UTF-8 with nothing dropped and nothing replaced; undefined where that is not possible. */
export function decodeExact(bytes: Uint8Array): string | undefined {
  exactDecoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  const text = exactDecoder.decode(bytes);
  return text.includes(REPLACEMENT) && !isUtf8(bytes) ? undefined : text;
}

/** Decodes any bytes, drops a byte order mark before them, and says whether something was replaced. */
export function decodeText(bytes: Uint8Array): DecodedText {
  decoder ??= new TextDecoder();
  const text = decoder.decode(bytes);
  return { text, wellFormed: !text.includes(REPLACEMENT) || isUtf8(bytes) };
}

/**
 * Only asked where a U+FFFD came out, which may also have been sent: a strict decoder takes up to ten times as long as
 * one that replaces, and looking for U+FFFD in its text takes next to nothing.
 */
function isUtf8(bytes: Uint8Array): boolean {
  strictDecoder ??= new TextDecoder("utf-8", { fatal: true });
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Whether a line is one that D-01 ignores: nothing but space, tab and CR. */
export function isBlank(text: string): boolean {
  return text === "" || (text.charCodeAt(0) <= SPACE && /^[ \t\r]*$/.test(text));
}

/** The same bytes as a plain Uint8Array: a runtime's own subclass makes slower views and may override searching. */
export function plainBytes(chunk: Uint8Array): Uint8Array {
  return chunk.constructor === Uint8Array ? chunk : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
