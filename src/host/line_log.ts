/** The last lines of what an extension wrote beside the protocol: bounded in number and in length (X-05, X-06, D11). */
import { joined } from "../rpc/bytes.ts";
import { cutToBytes } from "../rpc/excerpt.ts";
import { Latest } from "../rpc/latest.ts";
import type { Limits } from "../rpc/limits.ts";

const LF = 0x0a;
const CR = 0x0d;
const ELLIPSIS_BYTES = 3;
/** Kept beyond a line's limit until it is redacted, so that no part of a secret is left at its edge. */
const SPARE_BYTES = 256;

/** Whose lines they are. */
export interface LineOwner {
  readonly limits: Pick<Limits, "maxDiagnosticLines" | "maxDiagnosticLineBytes">;
  /** Blots out what nobody may see. */
  redact(line: string): string;
  /** Told of each line, cut and redacted as it is kept. */
  kept(line: string, log: LineLog): void;
}

export class LineLog {
  readonly #owner: LineOwner;
  /** Made for the first line. */
  #lines: Latest<string> | undefined;
  /** The beginning of a line whose end has not come. */
  #open: Uint8Array[] | undefined;
  #openBytes = 0;

  constructor(owner: LineOwner) {
    this.#owner = owner;
  }

  /** Takes bytes as they come; they are only read during the call. */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LF, start);
      if (end < 0) break;
      this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keepOpen(chunk.subarray(start));
  }

  /** No more bytes come: a line without its end is one all the same. */
  end(): void {
    if (this.#openBytes > 0) this.#finish(new Uint8Array(0));
  }

  /** Takes a line as text. */
  add(text: string): void {
    const { limits } = this.#owner;
    const line = cut(this.#owner.redact(text), limits.maxDiagnosticLineBytes);
    this.#lines ??= new Latest(limits.maxDiagnosticLines);
    this.#lines.add(line);
    this.#owner.kept(line, this);
  }

  /** The lines that are kept, oldest first; `count` of the last ones. */
  lines(count = Infinity): string[] {
    return this.#lines?.all.slice(-count) ?? [];
  }

  #finish(rest: Uint8Array): void {
    let bytes = rest;
    if (this.#open) {
      this.#keepOpen(rest);
      bytes = joined(this.#open);
      this.#open = undefined;
      this.#openBytes = 0;
    }
    if (bytes[bytes.length - 1] === CR) bytes = bytes.subarray(0, -1);
    const most = this.#owner.limits.maxDiagnosticLineBytes + SPARE_BYTES;
    // A text of its own, not a part of the chunk's: a kept line must not keep all that came with it.
    this.add(new TextDecoder().decode(bytes.length > most ? bytes.subarray(0, most) : bytes));
  }

  #keepOpen(bytes: Uint8Array): void {
    const room = this.#owner.limits.maxDiagnosticLineBytes + SPARE_BYTES - this.#openBytes;
    this.#open ??= [];
    if (room <= 0 || bytes.length === 0) return;
    const kept = bytes.slice(0, room);
    this.#open.push(kept);
    this.#openBytes += kept.length;
  }
}

/** At most `most` bytes of UTF-8, an ellipsis for the rest where it has room. */
function cut(line: string, most: number): string {
  const whole = cutToBytes(line, most);
  if (whole === line || most < ELLIPSIS_BYTES) return whole;
  return `${cutToBytes(line, most - ELLIPSIS_BYTES)}…`;
}
