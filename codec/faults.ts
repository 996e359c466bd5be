import { CodecError, type CodecNotice } from "./codec.ts";
import type { MessageLimit } from "./limit.ts";

/** A line that is over the limit however it ends. `head` holds its first bytes. */
export function lineOverLimit(head: Uint8Array, offset: number, limit: MessageLimit): CodecError {
  return new CodecError(
    "limit",
    `line at byte ${offset} exceeds ${limit.name} (${limit.bytes} bytes); it begins with ${describeBytes(head)}: ` +
      `raise ${limit.name} or send shorter lines`,
    offset,
  );
}

/** As many first bytes of a line without its end as its description shows. */
const SHOWN_BYTES = 120;

/** What stands of a line whose LF has not come. */
export function lineUnfinished(line: Uint8Array, offset: number): string {
  const head = new TextDecoder().decode(line.subarray(0, SHOWN_BYTES)).replace(/\ufffd+$/, "");
  const shown = JSON.stringify(line.length > SHOWN_BYTES ? `${head}…` : head);
  return `the line at byte ${offset} has ${line.length} bytes but no LF yet (every message must end with one): ${shown}`;
}

/** What stands of a frame that is not whole; never its bytes, which may hold a secret. Counts as `frameTruncated` does. */
export function frameUnfinished(offset: number, taken: number, total: number | undefined): string {
  return `the frame at byte ${offset} is incomplete: ${partOf(taken, total)} have arrived`;
}

/** A frame that claims more than the limit. */
export function frameOverLimit(claimed: number, offset: number, limit: MessageLimit): CodecError {
  const prefix = Uint8Array.of(claimed >>> 24, claimed >>> 16, claimed >>> 8, claimed);
  const advice = looksLikeText(prefix)
    ? "the length looks like text, so the other side probably does not send frames"
    : `raise ${limit.name} or send smaller frames${ifLittleEndian(prefix, limit)}`;
  return new CodecError(
    "limit",
    `frame at byte ${offset} claims ${claimed} bytes, which exceeds ${limit.name} (${limit.bytes} bytes); it begins with ${describeBytes(prefix)}: ${advice}`,
    offset,
  );
}

/** The usual mistake: a short length written little-endian, which ends with a zero byte. */
function ifLittleEndian(prefix: Uint8Array, limit: MessageLimit): string {
  const [a = 0, b = 0, c = 0, d = 0] = prefix;
  const meant = (c << 16) | (b << 8) | a;
  return d === 0 && meant > 0 && meant <= limit.bytes
    ? `, or write the length big-endian if it should be ${meant}`
    : "";
}

/** A frame without even a kind byte. */
export function frameEmpty(offset: number): CodecError {
  return new CodecError(
    "malformed",
    `frame at byte ${offset} claims a payload of 0 bytes; it begins with 00 00 00 00: a payload holds at least its kind byte`,
    offset,
  );
}

/** `taken` and `total` count from the frame's first length byte; `total` is unknown while the length itself is cut. */
export function frameTruncated(offset: number, taken: number, total: number | undefined): CodecError {
  return new CodecError(
    "truncated",
    `the stream ended after ${partOf(taken, total)} of the frame at byte ${offset}: the other side closed or died while it was sending`,
    offset,
  );
}

function partOf(taken: number, total: number | undefined): string {
  return total === undefined ? `${taken} bytes of the 4-byte length` : `${taken} of ${total} bytes`;
}

export function notUtf8(what: "line" | "frame", offset: number): CodecNotice {
  return {
    code: "not-utf8",
    message: `${what} at byte ${offset} is not UTF-8; invalid bytes became U+FFFD: have the other side write UTF-8`,
    offset,
  };
}

export function unknownKind(kind: number, bodyBytes: number, offset: number): CodecNotice {
  return {
    code: "unknown-kind",
    message: `frame at byte ${offset} has the unknown kind ${kind}; its ${bodyBytes} bytes were skipped: kinds are 0 (JSON) and 1 (attachment)`,
    offset,
  };
}

/** As in `47 45 54 20 ("GET ")`: hex always, text only where all of it is printable. */
export function describeBytes(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return looksLikeText(bytes) ? `${hex} (${JSON.stringify(String.fromCharCode(...bytes))})` : hex;
}

export function looksLikeText(bytes: Uint8Array): boolean {
  return (
    bytes.length > 0 &&
    bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d)
  );
}
