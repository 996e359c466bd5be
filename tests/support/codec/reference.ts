import { hex } from "./record.ts";

/**
 * What a stream means, worked out from all of its bytes at once in the most obvious way. Shares no code with the codecs,
 * so that one mistake cannot stand on both sides of a comparison. Events are as `withoutWording` leaves them.
 */
export interface Meaning {
  readonly events: readonly string[];
  readonly consumed: number;
}

export function linesMeaning(bytes: readonly number[], limit: number): Meaning {
  const events: string[] = [];
  let start = 0;
  while (start < bytes.length) {
    const lf = bytes.indexOf(0x0a, start);
    let line = bytes.slice(start, lf < 0 ? bytes.length : lf);
    if (line.at(-1) === 0x0d) line = line.slice(0, -1);
    if (line.length > limit) {
      events.push(`error ${start} limit`);
      return { events, consumed: start };
    }
    const body = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.slice(3) : line;
    if (body.some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d)) pushText(events, body, start);
    if (lf < 0) break;
    start = lf + 1;
  }
  return { events, consumed: bytes.length };
}

export function framesMeaning(bytes: readonly number[], limit: number): Meaning {
  const events: string[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = (error: string): Meaning => ({ events: [...events, `error ${start} ${error}`], consumed: start });
    if (bytes.length - start < 4) return end("truncated");
    const length = bytes.slice(start, start + 4).reduce((sum, byte) => sum * 256 + byte, 0);
    if (length === 0) return end("malformed");
    if (length > limit) return end("limit");
    const kind = bytes[start + 4];
    if (kind !== undefined && kind > 1) events.push(`notice ${start} unknown-kind`);
    if (bytes.length - start - 4 < length) return end("truncated");
    const body = bytes.slice(start + 5, start + 4 + length);
    if (kind === 0)
      pushText(events, body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.slice(3) : body, start);
    if (kind === 1) events.push(`attachment ${start} ${hex(Uint8Array.from(body))}`);
    start += 4 + length;
  }
  return { events, consumed: bytes.length };
}

function pushText(events: string[], body: readonly number[], offset: number): void {
  const bytes = Uint8Array.from(body);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // What decodes without loss encodes to the same bytes again, and nothing else does.
  const again = new TextEncoder().encode(text);
  if (again.length !== bytes.length || again.some((byte, index) => byte !== bytes[index]))
    events.push(`notice ${offset} not-utf8`);
  events.push(`text ${offset} ${text}`);
}
