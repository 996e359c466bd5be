import type { DecoderOptions, DecoderSink } from "./codec.ts";
import { LineDecoder } from "./line_decoder.ts";
import { decodeExact, isBlank, isBlankText } from "./text.ts";
import { BLOCK_BYTES, LENGTH, OFFSET, ROW, type Tuning, UNITS, type WasmModule } from "./wasm_module.ts";

const LF = 0x0a;
const MARK = 0xfeff;
const SPACE = 0x20;

/** Longer lines than this get no table, ASCII or not. */
export const MOST_TABLE_LINE = BLOCK_BYTES / 4;

/** After so many lines of ASCII a chunk is decoded before anything else knows that it is ASCII too. */
const CONFIDENT = 32;

/**
 * Lines, a block of many at a time: one table, one decoding for a run of them. Long lines of ASCII are decoded chunk by chunk
 * as they come and searched as text, which every runtime does faster than it searches bytes.
 */
export class WasmLineDecoder extends LineDecoder {
  readonly #module: WasmModule;
  readonly #tuning: Tuning;
  /** How long the last lines were: a guess at how long the next ones are. */
  #size = 0;
  /** How many lines in a row were ASCII: what says that the next ones are. */
  #asciiLines = CONFIDENT;
  /** All of the chunk that is being pushed, where it was decoded to finish the tail. */
  #chunkText: string | undefined;

  constructor(module: WasmModule, tuning: Tuning, sink: DecoderSink, options?: DecoderOptions) {
    super(sink, options);
    this.#module = module;
    this.#tuning = tuning;
  }

  protected override whole(bytes: Uint8Array, start: number): number {
    const text = this.#chunkText ?? this.#decodeAhead(bytes, start);
    this.#chunkText = undefined;
    if (text !== undefined) return this.#searchText(bytes, start, text, bytes.length - text.length);
    let at = start;
    for (;;) {
      if (this.#worthTable(bytes.length - at)) {
        const to = Math.min(at + BLOCK_BYTES, bytes.length);
        const rows = this.#module.splitLines(bytes, at, to, this.limit.bytes);
        this.work((to - at) * 2);
        const before = at;
        at = rows === 0 ? at + this.#module.end : this.#deliver(bytes, at, rows);
        // The line that the block cut may be whole in the next one, unless the chunk ends there.
        if (at > before && to < bytes.length) continue;
      }
      const lf = bytes.indexOf(LF, at);
      this.work((lf < 0 ? bytes.length : lf + 1) - at);
      if (lf < 0 || !this.line(bytes, at, lf)) return at;
      at = lf + 1;
    }
  }

  protected override text(line: Uint8Array, offset: number): number {
    const units = super.text(line, offset);
    this.#size = line.length;
    this.#asciiLines = units === line.length ? this.#asciiLines + 1 : 0;
    return units;
  }

  protected override finishTail(bytes: Uint8Array): number {
    const text = this.tail.isText ? this.#decodeAhead(bytes, 0) : undefined;
    if (text === undefined) return super.finishTail(bytes);
    const lf = text.indexOf("\n");
    const to = lf < 0 ? text.length : lf;
    // Past the limit the plain way says what is wrong.
    if (!this.fits(bytes, 0, to, this.tailLimit)) return super.finishTail(bytes);
    const offset = this.base - this.tail.length;
    this.tail.appendText(text.substring(0, to));
    if (lf < 0) return to;
    if (lf + 1 < text.length) this.#chunkText = text;
    this.#deliverText(this.tail.takeText(), offset);
    return lf + 1;
  }

  /** Whether enough lines to be worth a table can be expected in so many bytes. */
  #worthTable(bytes: number): boolean {
    const { fewMessages, smallChunkBytes } = this.#tuning;
    return (
      bytes >= smallChunkBytes &&
      this.#size < MOST_TABLE_LINE &&
      this.#size * fewMessages <= bytes &&
      !this.#module.busy
    );
  }

  /** The text of `bytes` from `at` on, where they look like ASCII in long lines and turn out to be. */
  #decodeAhead(bytes: Uint8Array, at: number): string | undefined {
    if (
      this.#asciiLines < CONFIDENT ||
      this.#size < this.#tuning.largeMessageBytes ||
      bytes.length - at < this.#tuning.smallChunkBytes
    )
      return undefined;
    const text = decodeExact(bytes.subarray(at));
    this.work(bytes.length - at);
    if (text?.length === bytes.length - at) return text;
    this.#asciiLines = 0;
    return undefined;
  }

  /** Delivers the lines of `text`, which is what `bytes` are from `shift` on, and keeps the last one, which has no ending. */
  #searchText(bytes: Uint8Array, start: number, text: string, shift: number): number {
    let at = start - shift;
    this.work(text.length - at);
    for (;;) {
      const lf = text.indexOf("\n", at);
      if (lf < 0) break;
      const end = lf > at && text.charCodeAt(lf - 1) === 0x0d ? lf - 1 : lf;
      if (end - at > this.limit.bytes) return this.line(bytes, at + shift, lf + shift) ? lf + 1 + shift : at + shift;
      this.#deliverText(text.substring(at, lf), this.base + at + shift);
      at = lf + 1;
    }
    if (!this.fits(bytes, at + shift, bytes.length, this.limit)) return at + shift;
    this.tailLimit = this.limit;
    this.tail.appendText(text.substring(at));
    return bytes.length;
  }

  /** Delivers a line of ASCII, with or without the CR of its ending, unless it is blank. */
  #deliverText(line: string, offset: number): void {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    this.#size = line.length;
    if (text === "" || (text.charCodeAt(0) <= SPACE && isBlankText(text))) return;
    this.sink.text(text, offset);
  }

  /** Delivers the rows of the block at `bytes[at]`; returns where the first line starts that was not delivered. */
  #deliver(bytes: Uint8Array, at: number, rows: number): number {
    const { end, table } = this.#module;
    const limit = this.limit;
    const run = this.#module.decodeRows(0, rows);
    const runStart = table[OFFSET] as number;
    const runEnd = (table[(rows - 1) * ROW + OFFSET] as number) + (table[(rows - 1) * ROW + LENGTH] as number);
    const ascii = run?.length === runEnd - runStart;
    this.#asciiLines = ascii ? this.#asciiLines + rows : 0;
    this.#size = end / rows;
    this.work(runEnd - runStart);
    const column = ascii ? LENGTH : UNITS;
    this.#module.busy = true;
    try {
      let from = 0;
      for (let row = 0; row < rows; row++) {
        const offset = table[row * ROW + OFFSET] as number;
        const length = table[row * ROW + LENGTH] as number;
        if (run === undefined) {
          const start = at + offset;
          if (!isBlank(bytes, start, start + length))
            super.text(bytes.subarray(start, start + length), this.base + start);
        } else {
          const to = from + (table[row * ROW + column] as number);
          const text = run.substring(from, to);
          if (text.charCodeAt(0) !== MARK) this.sink.text(text, this.base + at + offset);
          else if (!isBlankText(text.substring(1))) this.sink.text(text.substring(1), this.base + at + offset);
          // Endings and blank lines between two rows are ASCII.
          if (row + 1 < rows) from = to + (table[(row + 1) * ROW + OFFSET] as number) - offset - length;
        }
        // The sink changed the limit: the rows that are left were measured by the old one.
        if (this.limit !== limit && row + 1 < rows) return at + (table[(row + 1) * ROW + OFFSET] as number);
      }
    } finally {
      this.#module.busy = false;
    }
    return at + end;
  }
}
