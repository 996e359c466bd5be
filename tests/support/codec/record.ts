import type { Codec, DecoderOptions } from "../../../codec/codec.ts";

export type Format = "lines" | "frames";

/** What a decoder said, in order, one entry a call: as text, because a hundred thousand of these are compared. */
export interface Recording {
  readonly events: readonly string[];
  readonly consumed: number;
  readonly touched: number;
}

/** Decodes `bytes` cut at `cuts` (ascending positions) and writes down all that comes out, errors and notices with their messages. */
export function record(
  codec: Codec,
  format: Format,
  bytes: Uint8Array,
  cuts: Iterable<number>,
  options: DecoderOptions = {},
): Recording {
  const events: string[] = [];
  const decoder = codec[format](
    {
      text: (text, offset) => events.push(`text ${offset} ${text}`),
      attachment: (body, offset) => events.push(`attachment ${offset} ${hex(body)}`),
      notice: (notice) => events.push(`notice ${notice.offset} ${notice.code} ${notice.message}`),
      fail: (error) => events.push(`error ${error.offset} ${error.code} ${error.message}`),
    },
    options,
  );
  let from = 0;
  for (const cut of cuts) {
    decoder.push(scratch(bytes, from, cut));
    from = cut;
  }
  decoder.push(scratch(bytes, from, bytes.length));
  decoder.end();
  return { events, consumed: decoder.consumed, touched: decoder.touched };
}

/** Without the messages of errors and notices, whose wording is not part of what a vector promises. */
export function withoutWording(events: readonly string[]): string[] {
  return events.map((event) => (/^(notice|error) /.test(event) ? event.split(" ").slice(0, 3).join(" ") : event));
}

const scratchMemory = new Uint8Array(1 << 20);

/** Chunks lie at odd places of memory that is overwritten afterwards, as a runtime that reuses its read buffer does. */
function scratch(bytes: Uint8Array, from: number, to: number): Uint8Array {
  if (to - from > scratchMemory.length - 128) return bytes.subarray(from, to);
  const at = from & 7;
  scratchMemory.fill(0xaa, 0, at);
  scratchMemory.fill(0xaa, at + to - from, at + to - from + 64);
  scratchMemory.set(bytes.subarray(from, to), at);
  return scratchMemory.subarray(at, at + to - from);
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

export function unhex(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replace(/\s/g, "");
  if (digits.length % 2 !== 0 || /[^0-9a-f]/i.test(digits)) throw new Error(`not hex: ${text}`);
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  );
}
