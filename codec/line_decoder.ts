import type { Decoder, DecoderOptions, DecoderSink } from "./codec.ts";
import { lineOverLimit, lineUnfinished, notUtf8 } from "./faults.ts";
import { type MessageLimit, messageLimit } from "./limit.ts";
import { Tail } from "./tail.ts";
import { decodeExact, decodeText, isBlank, plainBytes } from "./text.ts";

const LF = 0x0a;
export const CR = 0x0d;
/** As many first bytes of a line over the limit as its error shows. */
const HEAD_BYTES = 16;
/** Chunks up to this size are split as text. */
const SHORT_CHUNK = 256;

/**
 * Lines out of chunks (D-01). A line that is cut by the end of a chunk waits in the tail and is finished here;
 * how the lines that are whole within one chunk are found is `whole`, which a faster codec overrides.
 */
export class LineDecoder implements Decoder {
  protected readonly sink: DecoderSink;
  /** For lines that start from now on. */
  protected limit: MessageLimit;
  /** Where byte 0 of the chunk that is being pushed stands in the stream. */
  protected base = 0;
  /** The beginning of a line whose end has not arrived. */
  protected readonly tail: Tail;
  /** The limit that the line in the tail started under. */
  protected tailLimit: MessageLimit;
  #stopped = false;
  #touched = 0;

  constructor(sink: DecoderSink, options: DecoderOptions = {}, tail: Tail = new Tail()) {
    this.sink = sink;
    this.tail = tail;
    this.limit = messageLimit(options.maxMessageBytes, options.limitName);
    this.tailLimit = this.limit;
  }

  get consumed(): number {
    return this.base;
  }

  get touched(): number {
    return this.#touched + this.tail.copied;
  }

  setMaxMessageBytes(bytes: number, limitName?: string): void {
    this.limit = messageLimit(bytes, limitName);
  }

  /** Lines have no attachments: nothing can be given back. */
  recycle(_body: Uint8Array): void {}

  push(chunk: Uint8Array): void {
    if (this.#stopped) return;
    if (this.tail.length > 0 || !this.#pushShort(chunk)) this.#push(plainBytes(chunk));
    if (!this.#stopped) this.base += chunk.length;
  }

  end(): void {
    if (this.#stopped) return;
    if (this.tail.length > 0) this.#deliverTail(this.base - this.tail.length);
    this.#stopped = true;
  }

  unfinished(): string | undefined {
    const { bytes, length } = this.tail;
    return isBlank(decodeText(bytes).text) ? undefined : lineUnfinished(bytes, this.base - length);
  }

  /** Delivers the lines that end inside `bytes`, from `at` on; returns where the first one starts that does not. */
  protected whole(bytes: Uint8Array, at: number): number {
    for (;;) {
      const lf = this.lineEnd(bytes, at);
      this.work((lf < 0 ? bytes.length : lf + 1) - at);
      if (lf < 0 || !this.line(bytes, at, lf)) return at;
      at = lf + 1;
    }
  }

  /** Delivers the line `bytes[start, lf)`; false once the decoder has stopped. */
  protected line(bytes: Uint8Array, start: number, lf: number): boolean {
    return this.#deliver(bytes, start, lf, this.base + start, this.limit);
  }

  /** Where the next LF stands in `bytes` from `at` on, or -1; a faster codec has a faster way. */
  protected lineEnd(bytes: Uint8Array, at: number): number {
    return bytes.indexOf(LF, at);
  }

  /** Counts bytes that were read or copied. */
  protected work(bytes: number): void {
    this.#touched += bytes;
  }

  /** Delivers a line without its ending, unless it is blank; returns how many UTF-16 units it has. */
  protected text(line: Uint8Array, offset: number): number {
    this.work(line.length);
    const { text, wellFormed } = decodeText(line);
    if (!wellFormed) this.sink.notice(notUtf8("line", offset));
    if (!isBlank(text)) this.sink.text(text, offset);
    return text.length;
  }

  /** Delivers a line of ASCII, with or without the CR of its ending, unless it is blank. */
  protected asciiText(line: string, offset: number): void {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (!isBlank(text)) this.sink.text(text, offset);
  }

  #push(bytes: Uint8Array, start = 0): void {
    let at = this.tail.length > 0 ? this.finishTail(bytes) : start;
    if (at < bytes.length && !this.#stopped) at = this.whole(bytes, at);
    if (at === bytes.length || this.#stopped) return;
    this.tailLimit = this.limit;
    this.#extendTail(bytes, at, bytes.length);
  }

  /**
   * Delivers a short chunk of whole lines, which is what comes while one message waits for the answer to another: one
   * decoding and a search of text take less time than a search of bytes. False where it is none.
   */
  #pushShort(chunk: Uint8Array): boolean {
    if (chunk.length > SHORT_CHUNK || chunk[chunk.length - 1] !== LF || chunk.length > this.limit.bytes) return false;
    const text = decodeExact(chunk);
    if (text?.length !== chunk.length) return false;
    this.work(text.length * 2);
    for (let at = 0; at < text.length; ) {
      const lf = text.indexOf("\n", at);
      this.asciiText(text.substring(at, lf), this.base + at);
      at = lf + 1;
      // Whoever is told of a line may lower the limit.
      if (at < text.length && text.length > this.limit.bytes) {
        this.#push(plainBytes(chunk), at);
        return true;
      }
    }
    return true;
  }

  #deliver(bytes: Uint8Array, start: number, lf: number, offset: number, limit: MessageLimit): boolean {
    const end = lf > start && bytes[lf - 1] === CR ? lf - 1 : lf;
    if (end - start > limit.bytes) {
      this.#stop(bytes.subarray(start, end), offset, limit);
      return false;
    }
    if (end > start) this.text(bytes.subarray(start, end), offset);
    return true;
  }

  #deliverTail(offset: number): void {
    const { bytes, length } = this.tail;
    if (this.#deliver(bytes, 0, length, offset, this.tailLimit)) this.tail.clear();
  }

  /** Takes the bytes up to the next LF behind the tail and delivers it; returns where the line after it starts. */
  protected finishTail(bytes: Uint8Array): number {
    const lf = this.lineEnd(bytes, 0);
    const to = lf < 0 ? bytes.length : lf;
    this.work(to + 1);
    if (!this.#extendTail(bytes, 0, to) || lf < 0) return to;
    // `base` is where this chunk starts; the part just added lies behind that.
    this.#deliverTail(this.base + to - this.tail.length);
    return lf + 1;
  }

  /** Whether the tail and `bytes[from, to)` can still be a line within its limit. */
  protected fits(bytes: Uint8Array, from: number, to: number, limit: MessageLimit): boolean {
    const length = this.tail.length + to - from;
    if (length <= limit.bytes) return true;
    if (length > limit.bytes + 1) return false;
    // One byte over is still open while it is a CR, which an LF may follow.
    return (to > from ? bytes[to - 1] : this.tail.lastByte) === CR;
  }

  /** Adds `bytes[from, to)` to the tail, or stops before buffering it where no ending can bring the line within its limit. */
  #extendTail(bytes: Uint8Array, from: number, to: number): boolean {
    const limit = this.tailLimit;
    if (this.fits(bytes, from, to, limit)) {
      this.tail.append(bytes, from, to, limit.bytes + 1);
      return true;
    }
    const offset = this.base + from - this.tail.length;
    this.tail.append(bytes, from, Math.min(to, from + HEAD_BYTES), Infinity);
    this.#stop(this.tail.bytes, offset, limit);
    return false;
  }

  /** `line` begins with at least the `limit.bytes + 1` or `HEAD_BYTES` first bytes of the faulty line. */
  #stop(line: Uint8Array, offset: number, limit: MessageLimit): void {
    // No more than what is over the limit for sure, so that the error does not depend on where chunks are cut.
    const error = lineOverLimit(line.subarray(0, Math.min(HEAD_BYTES, limit.bytes + 1)), offset, limit);
    this.#stopped = true;
    this.base = offset;
    this.tail.clear();
    this.sink.fail(error);
  }
}
