import type { DecoderOptions, DecoderSink } from "./codec.ts";
import { CR, LineDecoder } from "./line_decoder.ts";
import { decodeExact } from "./text.ts";
import { TextTail } from "./text_tail.ts";

/** After so many lines of ASCII a chunk is decoded before anything else knows that it is ASCII too. */
const CONFIDENT = 32;

/** Nor is a chunk decoded ahead that has no room for so many: a line in pieces is joined as bytes, and decoded once. */
const FEW_LINES = 2;

/** When a chunk is decoded before it is split. Decides speed only. */
export interface AheadTuning {
  /** In smaller chunks there is too little to decode. */
  readonly smallChunkBytes: number;
  /** In chunks of shorter lines another way is faster. */
  readonly largeMessageBytes: number;
}

/**
 * Lines of ASCII, which most are, decoded chunk by chunk as they come and searched as text: every runtime does both
 * faster than it searches bytes and decodes each line alone.
 */
export class TextLineDecoder extends LineDecoder {
  /** How long the last lines were: a guess at how long the next ones are. */
  protected size = 0;
  /** How many lines in a row were ASCII: what says that the next ones are. */
  protected asciiLines = CONFIDENT;
  readonly #tuning: AheadTuning;
  readonly #textTail: TextTail;
  /** All of the chunk that is being pushed, where it was decoded to finish the tail. */
  #chunkText: string | undefined;

  constructor(tuning: AheadTuning, sink: DecoderSink, options?: DecoderOptions) {
    const tail = new TextTail();
    super(sink, options, tail);
    this.#textTail = tail;
    this.#tuning = tuning;
  }

  protected override whole(bytes: Uint8Array, start: number): number {
    const text = this.#chunkText ?? this.#decodeAhead(bytes, start);
    this.#chunkText = undefined;
    if (text !== undefined) return this.#searchText(bytes, start, text, bytes.length - text.length);
    return this.split(bytes, start);
  }

  /** What `whole` does with bytes that were not decoded ahead. */
  protected split(bytes: Uint8Array, start: number): number {
    return super.whole(bytes, start);
  }

  protected override text(line: Uint8Array, offset: number): number {
    const units = super.text(line, offset);
    this.size = line.length;
    this.asciiLines = units === line.length ? this.asciiLines + 1 : 0;
    return units;
  }

  protected override finishTail(bytes: Uint8Array): number {
    const text = this.#textTail.isText ? this.#decodeAhead(bytes, 0) : undefined;
    if (text === undefined) return super.finishTail(bytes);
    const lf = text.indexOf("\n");
    const to = lf < 0 ? text.length : lf;
    // Past the limit the plain way says what is wrong.
    if (!this.fits(bytes, 0, to, this.tailLimit)) return super.finishTail(bytes);
    const offset = this.base - this.tail.length;
    this.#textTail.appendText(text.substring(0, to));
    if (lf < 0) return to;
    if (lf + 1 < text.length) this.#chunkText = text;
    this.asciiText(this.#textTail.takeText(), offset);
    return lf + 1;
  }

  /** The text of `bytes` from `at` on, where they look like ASCII in long lines and turn out to be. */
  #decodeAhead(bytes: Uint8Array, at: number): string | undefined {
    if (
      this.asciiLines < CONFIDENT ||
      this.size < this.#tuning.largeMessageBytes ||
      this.size * FEW_LINES > bytes.length - at ||
      bytes.length - at < this.#tuning.smallChunkBytes
    )
      return undefined;
    const text = decodeExact(bytes.subarray(at));
    this.work(bytes.length - at);
    if (text?.length === bytes.length - at) return text;
    this.asciiLines = 0;
    return undefined;
  }

  /** Delivers the lines of `text`, which is what `bytes` are from `shift` on, and keeps the last one, which has no ending. */
  #searchText(bytes: Uint8Array, start: number, text: string, shift: number): number {
    let at = start - shift;
    this.work(text.length - at);
    for (;;) {
      const lf = text.indexOf("\n", at);
      if (lf < 0) break;
      const end = lf > at && text.charCodeAt(lf - 1) === CR ? lf - 1 : lf;
      if (end - at > this.limit.bytes) {
        // The plain way says what is wrong.
        this.line(bytes, at + shift, lf + shift);
        return at + shift;
      }
      this.asciiText(text.substring(at, lf), this.base + at + shift);
      at = lf + 1;
    }
    if (!this.fits(bytes, at + shift, bytes.length, this.limit)) return at + shift;
    this.tailLimit = this.limit;
    this.#textTail.appendText(text.substring(at));
    return bytes.length;
  }

  protected override asciiText(line: string, offset: number): void {
    this.size = line.length;
    super.asciiText(line, offset);
  }
}
