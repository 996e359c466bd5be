import type { DecoderOptions, DecoderSink } from "./codec.ts";
import { FrameDecoder, frameEnd } from "./frame_decoder.ts";
import { HEADER_BYTES, TEXT } from "./frame_layout.ts";
import { BLOCK_BYTES, KIND, LENGTH, OFFSET, ROW, UNITS } from "./wasm_layout.ts";
import type { Tuning, WasmModule } from "./wasm_module.ts";

/** Frames, a block of many at a time: one table, one decoding for a run of texts. */
export class WasmFrameDecoder extends FrameDecoder {
  readonly #module: WasmModule;
  readonly #tuning: Tuning;
  /** Average size of the frames of the last chunk that had any. */
  #average = 0;

  constructor(module: WasmModule, tuning: Tuning, sink: DecoderSink, options?: DecoderOptions) {
    super(sink, options);
    this.#module = module;
    this.#tuning = tuning;
  }

  protected override whole(bytes: Uint8Array, start: number): number {
    const { fewMessages, largeMessageBytes, smallChunkBytes } = this.#tuning;
    let at = start;
    let frames = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const end = frameEnd(bytes, at);
      if (end > bytes.length) break;
      const small = end - at < largeMessageBytes && this.#average < largeMessageBytes;
      const many = bytes.length - at >= Math.max(smallChunkBytes, (end - at) * fewMessages);
      if (small && many && !this.#module.busy) {
        const to = Math.min(at + BLOCK_BYTES, bytes.length);
        const rows = this.#module.splitFrames(bytes, at, to, this.limit.bytes);
        this.work((to - at) * 2);
        if (rows > 0) {
          frames += rows;
          at = this.#deliver(bytes, at, rows);
          continue;
        }
      }
      if (!this.frame(bytes, at, end)) break;
      frames++;
      at = end;
    }
    if (frames > 0) this.#average = (at - start) / frames;
    return at;
  }

  /** Delivers the rows of the block at `bytes[at]`; returns where the first frame starts that was not delivered. */
  #deliver(bytes: Uint8Array, at: number, rows: number): number {
    const { end, kinds, table } = this.#module;
    const limit = this.limit;
    this.#module.busy = true;
    try {
      for (let first = 0; first < rows; ) {
        let last = first;
        if (kinds === 0) last = rows;
        else while (last < rows && table[last * ROW + KIND] === TEXT) last++;
        if (last > first) {
          first = this.#deliverTexts(bytes, at, first, last);
        } else {
          const body = at + (table[first * ROW + OFFSET] as number);
          this.frame(bytes, body - HEADER_BYTES, body + (table[first * ROW + LENGTH] as number));
          first++;
        }
        // The sink changed the limit: the rows that are left were measured by the old one.
        if (this.limit !== limit && first < rows) return at + (table[first * ROW + OFFSET] as number) - HEADER_BYTES;
      }
    } finally {
      this.#module.busy = false;
    }
    return at + end;
  }

  /** Delivers the texts of the rows from `first` to before `last`; returns the first row that was not delivered. */
  #deliverTexts(bytes: Uint8Array, at: number, first: number, last: number): number {
    const { table } = this.#module;
    const limit = this.limit;
    const run = this.#module.decodeRows(first, last);
    const bytesOfRun = this.#module.bytesOf(first, last);
    const column = run?.length === bytesOfRun ? LENGTH : UNITS;
    this.work(bytesOfRun);
    let from = 0;
    for (let row = first; row < last; row++) {
      const offset = at + (table[row * ROW + OFFSET] as number);
      if (run === undefined) {
        this.text(
          bytes.subarray(offset, offset + (table[row * ROW + LENGTH] as number)),
          this.base + offset - HEADER_BYTES,
        );
      } else {
        const to = from + (table[row * ROW + column] as number);
        this.sink.text(withoutMark(run.substring(from, to)), this.base + offset - HEADER_BYTES);
        from = to + HEADER_BYTES;
      }
      if (this.limit !== limit) return row + 1;
    }
    return last;
  }
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.substring(1) : text;
}
