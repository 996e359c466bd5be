/** Splitting alone: the plain codec's way and the module's, both up to where texts would be decoded. */
import type { DecoderSink } from "../../codec/codec.ts";
import { FrameDecoder } from "../../codec/frame_decoder.ts";
import { LineDecoder } from "../../codec/line_decoder.ts";
import { compileInlined } from "../../codec/load.ts";
import { BLOCK_BYTES, KIND, LENGTH, OFFSET, ROW } from "../../codec/wasm_layout.ts";
import { MOST_TABLE_LINE } from "../../codec/wasm_lines.ts";
import { DEFAULT_TUNING, WasmModule } from "../../codec/wasm_module.ts";
import type { Output, Pass } from "./output.ts";
import type { StreamWork, Work } from "./work.ts";

const silent: DecoderSink = {
  text() {},
  attachment() {},
  notice() {},
  fail(error) {
    throw error;
  },
};

export function splitPlainly(work: Work, output: Output): Pass | undefined {
  if (work.kind !== "split") return undefined;
  const splitter = work.format === "lines" ? new PlainLines(output) : new PlainFrames(output);
  return () => {
    // Whole messages of each chunk: what the next chunk continues is the same work for both.
    for (const chunk of work.chunks) splitter.split(chunk);
  };
}

export function splitByTable(work: Work, output: Output): Pass | undefined {
  if (work.kind !== "split") return undefined;
  const messageBytes = work.bytes / work.bodies.length;
  // Where the codec switches to the plain way, this does.
  const most = work.format === "frames" ? DEFAULT_TUNING.largeMessageBytes : MOST_TABLE_LINE;
  if (messageBytes >= most) return splitPlainly(work, output);
  const module = new WasmModule(compileInlined());
  return () => {
    for (const chunk of work.chunks) splitChunk(module, work, chunk, output);
  };
}

function splitChunk(module: WasmModule, { format }: StreamWork, chunk: Uint8Array, output: Output): void {
  let at = 0;
  while (at < chunk.length) {
    const to = Math.min(at + BLOCK_BYTES, chunk.length);
    const rows =
      format === "lines" ? module.splitLines(chunk, at, to, Infinity) : module.splitFrames(chunk, at, to, Infinity);
    readTable(module.table, rows, at, output);
    at += module.end;
    if (to === chunk.length || module.end === 0) break;
  }
}

/** Looks at every number of every row; hands each row over only where answers are compared. */
function readTable(table: Int32Array, rows: number, at: number, output: Output): void {
  if (output.everyRow) {
    for (let column = 0; column < rows * ROW; column += ROW) {
      output.row(at + table[column + OFFSET]!, table[column + LENGTH]!, table[column + KIND]!);
    }
    return;
  }
  let sum = 0;
  for (let column = 0; column < rows * ROW; column += ROW) {
    sum = (sum + at + table[column + OFFSET]! + table[column + LENGTH]! + table[column + KIND]!) | 0;
  }
  output.row(sum, 0, 0);
}

/** One class for all works, as there is in a program: else runtimes see many shapes where there is one. */
class PlainLines extends LineDecoder {
  readonly #output: Output;
  readonly #everyRow: boolean;
  #sum = 0;

  constructor(output: Output) {
    super(silent, { maxMessageBytes: Infinity });
    this.#output = output;
    this.#everyRow = output.everyRow;
  }

  split(chunk: Uint8Array): void {
    this.base = 0;
    this.whole(chunk, 0);
    if (!this.#everyRow) this.#output.row(this.#sum, 0, 0);
  }

  protected override text(line: Uint8Array, offset: number): number {
    if (this.#everyRow) this.#output.row(offset, line.length, 0);
    else this.#sum = (this.#sum + offset + line.length) | 0;
    return line.length;
  }
}

class PlainFrames extends FrameDecoder {
  readonly #output: Output;
  readonly #everyRow: boolean;
  #sum = 0;

  constructor(output: Output) {
    super(silent, { maxMessageBytes: Infinity });
    this.#output = output;
    this.#everyRow = output.everyRow;
  }

  split(chunk: Uint8Array): void {
    this.base = 0;
    this.whole(chunk, 0);
    if (!this.#everyRow) this.#output.row(this.#sum, 0, 0);
  }

  protected override text(body: Uint8Array, offset: number): void {
    if (this.#everyRow) this.#output.row(offset + 5, body.length, 0);
    else this.#sum = (this.#sum + offset + body.length) | 0;
  }
}
