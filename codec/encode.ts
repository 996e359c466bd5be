/** Messages to bytes. The result is new memory that is never touched again here: it can be written without a copy. */
import { ATTACHMENT, HEADER_BYTES, TEXT } from "./frame_layout.ts";

/** A message to frame: the text of one JSON message (kind 0), or the parts of one attachment's body (kind 1). */
export type OutgoingFrame = string | readonly Uint8Array[];

const HEADER_SPACE = "\0\0\0\0\0";
const MAX_PAYLOAD_BYTES = 0xffff_ffff;
/** UTF-8 needs at most this many bytes for one UTF-16 unit. */
const MAX_UTF8_BYTES = 3;

let encoder: TextEncoder | undefined;

/**
 * Encodes each text as a line (D-01). A line feed inside a text becomes a space: in JSON it can only be between tokens, where
 * both mean the same.
 *
 * @example
 * ```ts
 * import { encodeLines } from "extwire";
 * console.log(encodeLines(['{"jsonrpc":"2.0","method":"shutdown"}']).at(-1)); // 10
 * ```
 */
export function encodeLines(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  encoder ??= new TextEncoder();
  return encoder.encode(joinLines(texts));
}

/** The same as text, for a transport that takes text. */
export function joinLines(texts: readonly string[]): string {
  if (texts.length === 0) return "";
  const joined = `${texts.join("\n")}\n`;
  // Searched once it is one: to search a text that was just put together of pieces means to copy it.
  return isCutAt(joined, texts) ? joined : `${texts.map((text) => text.replaceAll("\n", " ")).join("\n")}\n`;
}

/** Whether the only line feeds in `joined` are those behind `texts`. */
function isCutAt(joined: string, texts: readonly string[]): boolean {
  let end = -1;
  for (const text of texts) {
    const lf = joined.indexOf("\n", end + 1);
    end += text.length + 1;
    if (lf !== end) return false;
  }
  return true;
}

/**
 * Encodes each message as a frame (M-01). Returns pieces to write one after the other, with nothing between them:
 * consecutive texts share one piece, and the parts of an attachment are pieces of their own, not copied.
 *
 * @throws RangeError for a payload of more than 4 GiB
 *
 * @example
 * ```ts
 * import { encodeFrames } from "extwire";
 * const pieces = encodeFrames(['{"jsonrpc":"2.0","id":1,"result":null}', [new Uint8Array(24), new Uint8Array(1_000)]]);
 * console.log(pieces.map((piece) => piece.length)); // [48, 24, 1000]
 * ```
 */
export function encodeFrames(messages: readonly OutgoingFrame[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let run: string[] = [];
  for (const message of messages) {
    if (typeof message === "string") {
      run.push(message);
      continue;
    }
    const bodyLength = message.reduce((sum, part) => sum + part.length, 0);
    pieces.push(encodeRun(run, bodyLength));
    for (const part of message) if (part.length > 0) pieces.push(part);
    run = [];
  }
  if (run.length > 0) pieces.push(encodeRun(run, undefined));
  return pieces;
}

/** The frames of `texts`, then the header of an attachment where one follows. */
function encodeRun(texts: readonly string[], attachmentLength: number | undefined): Uint8Array<ArrayBuffer> {
  encoder ??= new TextEncoder();
  const trailer = attachmentLength === undefined ? 0 : HEADER_BYTES;
  const joined = texts.length === 0 ? "" : HEADER_SPACE + texts.join(HEADER_SPACE);
  let out = new Uint8Array(joined.length + trailer);
  const { read, written } = encoder.encodeInto(joined, out);
  // Only ASCII takes as many bytes as it has UTF-16 units, and then every header's place is known.
  const ascii = read === joined.length && written === joined.length;
  let at = 0;
  if (ascii) {
    for (const text of texts) at = writeHeader(out, at, text.length, TEXT) + text.length;
  } else {
    const most = texts.reduce((sum, text) => sum + HEADER_BYTES + text.length * MAX_UTF8_BYTES, trailer);
    out = new Uint8Array(most);
    for (const text of texts) {
      const body = encoder.encodeInto(text, out.subarray(at + HEADER_BYTES)).written;
      at = writeHeader(out, at, body, TEXT) + body;
    }
    out = out.subarray(0, at + trailer);
  }
  if (attachmentLength !== undefined) writeHeader(out, at, attachmentLength, ATTACHMENT);
  return out;
}

function writeHeader(out: Uint8Array, at: number, bodyLength: number, kind: number): number {
  const length = bodyLength + 1;
  if (length > MAX_PAYLOAD_BYTES)
    throw new RangeError(`a frame's payload of ${length} bytes does not fit its 4-byte length`);
  out[at] = length >>> 24;
  out[at + 1] = length >>> 16;
  out[at + 2] = length >>> 8;
  out[at + 3] = length;
  out[at + 4] = kind;
  return at + HEADER_BYTES;
}
