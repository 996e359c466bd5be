import { decodeExact } from "./text.ts";
import {
  BLOCK_BYTES,
  END,
  INPUT,
  KINDS,
  LENGTH,
  MAX_ROWS,
  OFFSET,
  PAD_BYTES,
  PIXELS,
  PIXELS_BYTES,
  ROW,
  SEARCHED,
  TABLE,
} from "./wasm_layout.ts";

/** Where the module's way and the plain way change places; both always give the same answer. */
export interface Tuning {
  /** Fewer bytes than this are not worth a call. */
  readonly smallChunkBytes: number;
  /** Nor is a block in which fewer messages than this can be expected. */
  readonly fewMessages: number;
  /** From this size of messages on, the copy into the module costs more than it saves. */
  readonly largeMessageBytes: number;
}

export const DEFAULT_TUNING: Tuning = { smallChunkBytes: 256, fewMessages: 4, largeMessageBytes: 1024 };

const FIRST_LOOK_BYTES = 1024;
const MOST_LIMIT = 0x7fff_ffff;

interface Exports {
  readonly memory: WebAssembly.Memory;
  split_lines(length: number, limit: number): number;
  find_line_end(length: number): number;
  split_frames(length: number, limit: number): number;
  count_units(first: number, last: number): void;
  convert_pixels(bytes: number, swap: number, alpha: number): void;
}

/**
 * The module's one page of memory, seen from JavaScript. Holds one block and its table, both borrowed: they are valid until
 * the next call. One instance serves all decoders; whoever calls a sink while it reads the table holds `busy`.
 */
export class WasmModule {
  readonly #exports: Exports;
  /** The memory never grows, so these views are never detached. */
  readonly #block: Uint8Array<ArrayBuffer>;
  readonly #pixels: Uint8Array<ArrayBuffer>;
  readonly table: Int32Array<ArrayBuffer>;
  /** Set while a table is being read: a sink may push into another decoder, which then has to do without the module. */
  busy = false;
  readonly #result: Int32Array<ArrayBuffer>;

  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
    const memory = this.#exports.memory.buffer;
    this.#result = new Int32Array(memory, 0, 3);
    this.#block = new Uint8Array(memory, INPUT, BLOCK_BYTES + PAD_BYTES);
    this.#pixels = new Uint8Array(memory, PIXELS, PIXELS_BYTES);
    this.table = new Int32Array(memory, TABLE, MAX_ROWS * ROW);
  }

  /** How far into the block the last split came. */
  get end(): number {
    return this.#result[END] as number;
  }

  /** Up to where in the block no LF follows `end`, after a split of lines. */
  get searched(): number {
    return this.#result[SEARCHED] as number;
  }

  /** The kinds of all rows of the last split of frames, or-ed. */
  get kinds(): number {
    return this.#result[KINDS] as number;
  }

  /** Copies `bytes[from, to)`, at most a block, and writes a row for each line that ends in it. */
  splitLines(bytes: Uint8Array, from: number, to: number, limit: number): number {
    this.#load(bytes, from, to);
    return this.#exports.split_lines(to - from, Math.min(limit, MOST_LIMIT));
  }

  /** Where the next LF stands in `bytes` from `from` on, or -1. Takes the block, leaves the table alone. */
  findLineEnd(bytes: Uint8Array, from: number): number {
    // What is looked for is often near: not all of a block is copied for it.
    for (let at = from, size = FIRST_LOOK_BYTES; at < bytes.length; ) {
      const to = Math.min(at + size, bytes.length);
      this.#load(bytes, at, to);
      const found = this.#exports.find_line_end(to - at);
      if (found >= 0) return at + found;
      at = to;
      size = Math.min(size * 4, BLOCK_BYTES);
    }
    return -1;
  }

  /** Copies `bytes[from, to)`, at most a block, and writes a row for the body of each frame that is whole in it. */
  splitFrames(bytes: Uint8Array, from: number, to: number, limit: number): number {
    this.#load(bytes, from, to);
    return this.#exports.split_frames(to - from, Math.min(limit, MOST_LIMIT));
  }

  /** How many bytes of the block the rows from `first` to before `last` are, with what lies between them. */
  bytesOf(first: number, last: number): number {
    const { table } = this;
    const end = (table[(last - 1) * ROW + OFFSET] as number) + (table[(last - 1) * ROW + LENGTH] as number);
    return end - (table[first * ROW + OFFSET] as number);
  }

  /** Decodes these bytes at once; undefined if they are not UTF-8. Where they are not ASCII it counts the units of each row. */
  decodeRows(first: number, last: number): string | undefined {
    const from = this.table[first * ROW + OFFSET] as number;
    const bytes = this.bytesOf(first, last);
    const text = decodeExact(this.#block.subarray(from, from + bytes));
    if (text !== undefined && text.length !== bytes) this.#exports.count_units(first, last);
    return text;
  }

  /** Turns pixels to RGBA: `bytes[from, to)`, at most `PIXELS_BYTES`, into `target` at `at`. */
  convertPixels(
    bytes: Uint8Array,
    from: number,
    to: number,
    swap: boolean,
    opaque: boolean,
    target: Uint8Array,
    at: number,
  ): void {
    const pixels = this.#pixels;
    pixels.set(bytes.subarray(from, to));
    this.#exports.convert_pixels(to - from, swap ? 1 : 0, opaque ? 0xff00_0000 | 0 : 0);
    target.set(to - from === PIXELS_BYTES ? pixels : pixels.subarray(0, to - from), at);
  }

  #load(bytes: Uint8Array, from: number, to: number): void {
    this.#block.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to));
  }
}
