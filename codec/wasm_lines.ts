import type { DecoderOptions, DecoderSink } from "./codec.ts";
import { isBlank } from "./text.ts";
import { TextLineDecoder } from "./text_lines.ts";
import { BLOCK_BYTES, LENGTH, OFFSET, ROW, UNITS } from "./wasm_layout.ts";
import type { Tuning, WasmModule } from "./wasm_module.ts";

const MARK = 0xfeff;

/** Longer lines than this get no table, ASCII or not. */
export const MOST_TABLE_LINE = BLOCK_BYTES / 4;

/** Lines, a block of many at a time: one table, one decoding for a run of them. */
export class WasmLineDecoder extends TextLineDecoder {
  readonly #module: WasmModule;
  readonly #tuning: Tuning;

  constructor(module: WasmModule, tuning: Tuning, sink: DecoderSink, options?: DecoderOptions) {
    super(tuning, sink, options);
    this.#module = module;
    this.#tuning = tuning;
  }

  protected override split(bytes: Uint8Array, start: number): number {
    let at = start;
    for (;;) {
      let from = at;
      if (this.#worthTable(bytes.length - at)) {
        const to = Math.min(at + BLOCK_BYTES, bytes.length);
        const rows = this.#module.splitLines(bytes, at, to, this.limit.bytes);
        this.work((to - at) * 2);
        const before = at;
        const { end, searched } = this.#module;
        at = rows === 0 ? at + end : this.#deliver(bytes, at, rows);
        // The line that the block cut may be whole in the next one, unless the chunk ends there.
        if (at > before && to < bytes.length) continue;
        from = at === before + end ? before + searched : at;
      }
      const lf = this.lineEnd(bytes, from);
      this.work((lf < 0 ? bytes.length : lf + 1) - from);
      if (lf < 0 || !this.line(bytes, at, lf)) return at;
      at = lf + 1;
    }
  }

  protected override lineEnd(bytes: Uint8Array, at: number): number {
    const worthCall = bytes.length - at >= this.#tuning.smallChunkBytes && !this.#module.busy;
    return worthCall ? this.#module.findLineEnd(bytes, at) : super.lineEnd(bytes, at);
  }

  /** Whether enough lines to be worth a table can be expected in so many bytes. */
  #worthTable(bytes: number): boolean {
    const { fewMessages, smallChunkBytes } = this.#tuning;
    return (
      bytes >= smallChunkBytes && this.size < MOST_TABLE_LINE && this.size * fewMessages <= bytes && !this.#module.busy
    );
  }

  /** Delivers the rows of the block at `bytes[at]`; returns where the first line starts that was not delivered. */
  #deliver(bytes: Uint8Array, at: number, rows: number): number {
    const { end, table } = this.#module;
    const limit = this.limit;
    const run = this.#module.decodeRows(0, rows);
    const bytesOfRun = this.#module.bytesOf(0, rows);
    const ascii = run?.length === bytesOfRun;
    this.asciiLines = ascii ? this.asciiLines + rows : 0;
    this.size = end / rows;
    this.work(bytesOfRun);
    const column = ascii ? LENGTH : UNITS;
    this.#module.busy = true;
    try {
      let from = 0;
      for (let row = 0; row < rows; row++) {
        const offset = table[row * ROW + OFFSET] as number;
        const length = table[row * ROW + LENGTH] as number;
        if (run === undefined) {
          const start = at + offset;
          super.text(bytes.subarray(start, start + length), this.base + start);
        } else {
          const to = from + (table[row * ROW + column] as number);
          const text = run.substring(from, to);
          if (text.charCodeAt(0) !== MARK) this.sink.text(text, this.base + at + offset);
          else if (!isBlank(text.substring(1))) this.sink.text(text.substring(1), this.base + at + offset);
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
