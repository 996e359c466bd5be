import { BufferPool } from "./buffer_pool.ts";
import type { CodecError, Decoder, DecoderOptions, DecoderSink } from "./codec.ts";
import { frameEmpty, frameOverLimit, frameTruncated, frameUnfinished, notUtf8, unknownKind } from "./faults.ts";
import { ATTACHMENT, HEADER_BYTES, LENGTH_BYTES, TEXT } from "./frame_layout.ts";
import { type MessageLimit, messageLimit } from "./limit.ts";
import { Tail } from "./tail.ts";
import { decodeText, plainBytes } from "./text.ts";

/** How much of an attachment must have arrived before all of its claimed size is allocated. */
const EARNEST_BYTES = 4096;
/** Of attachments: enough for one being filled, one being read and two waiting. */
const MOST_BUFFERS = 4;

/**
 * Frames out of chunks (M-01). A frame that is cut by the end of a chunk is finished here, its body going to the
 * tail (text) or straight to its final buffer (attachment); how the frames that are whole within one chunk are
 * found is `whole`, which a faster codec overrides.
 */
export class FrameDecoder implements Decoder {
  protected readonly sink: DecoderSink;
  /** For frames that start from now on. */
  protected limit: MessageLimit;
  /** Where byte 0 of the chunk that is being pushed stands in the stream. */
  protected base = 0;
  /** Made when they are first needed: a connection whose frames come whole, and without attachments, has none of these. */
  #lazyPool: BufferPool | undefined;
  #lazyTail: Tail | undefined;
  /** Bytes of the open frame's header that have arrived; 0 between frames. */
  #headerLength = 0;
  #headerLimit: MessageLimit;
  /** Where the open frame starts, in the stream. */
  #offset = 0;
  #kind = TEXT;
  /** As its header says it: of its body and its kind, as far as that has come. */
  #length = 0;
  #bodyLength = 0;
  #bodyArrived = 0;
  /** Where the body of the open attachment goes, once enough of it has arrived. */
  #target: Uint8Array<ArrayBuffer> | undefined;
  #stopped = false;
  #touched = 0;

  constructor(sink: DecoderSink, options: DecoderOptions = {}) {
    this.sink = sink;
    this.limit = messageLimit(options.maxMessageBytes, options.limitName);
    this.#headerLimit = this.limit;
  }

  get #pool(): BufferPool {
    this.#lazyPool ??= new BufferPool(MOST_BUFFERS);
    return this.#lazyPool;
  }

  get #tail(): Tail {
    this.#lazyTail ??= new Tail();
    return this.#lazyTail;
  }

  get consumed(): number {
    return this.base;
  }

  get touched(): number {
    return this.#touched + (this.#lazyTail?.copied ?? 0);
  }

  setMaxMessageBytes(bytes: number, limitName?: string): void {
    this.limit = messageLimit(bytes, limitName);
  }

  recycle(body: Uint8Array): void {
    this.#lazyPool?.recycle(body);
  }

  push(chunk: Uint8Array): void {
    if (this.#stopped) return;
    const bytes = plainBytes(chunk);
    let at = 0;
    while (at < bytes.length && !this.#stopped) {
      if (this.#headerLength === HEADER_BYTES) at = this.#takeBody(bytes, at);
      else if (this.#headerLength > 0) at = this.#takeHeader(bytes, at);
      else {
        at = this.whole(bytes, at);
        if (at < bytes.length && !this.#stopped) at = this.#takeHeader(bytes, at);
      }
    }
    if (!this.#stopped) this.base += bytes.length;
  }

  end(): void {
    if (this.#stopped) return;
    if (this.#headerLength > 0) this.#stop(frameTruncated(this.#offset, this.base - this.#offset, this.#total));
    this.#stopped = true;
  }

  unfinished(): string | undefined {
    if (this.#headerLength === 0) return undefined;
    return frameUnfinished(this.#offset, this.base - this.#offset, this.#total);
  }

  /** Bytes of the open frame, its length counted in; undefined while that is cut. */
  get #total(): number | undefined {
    return this.#headerLength >= LENGTH_BYTES ? LENGTH_BYTES + this.#length : undefined;
  }

  /** Delivers the frames that end inside `bytes`, from `at` on; returns where the first one starts that does not. */
  protected whole(bytes: Uint8Array, at: number): number {
    while (at + HEADER_BYTES <= bytes.length) {
      const end = frameEnd(bytes, at);
      if (end > bytes.length || !this.frame(bytes, at, end)) return at;
      at = end;
    }
    return at;
  }

  /** Delivers the frame `bytes[at, end)`; false once the decoder has stopped. */
  protected frame(bytes: Uint8Array, at: number, end: number): boolean {
    const offset = this.base + at;
    if (!this.#accepts(end - at - LENGTH_BYTES, offset, this.limit)) return false;
    const body = bytes.subarray(at + HEADER_BYTES, end);
    const kind = bytes[at + LENGTH_BYTES] as number;
    this.work(HEADER_BYTES);
    if (kind === TEXT) {
      this.text(body, offset);
    } else if (kind === ATTACHMENT) {
      const own = this.#pool.take(body.length);
      own.set(body);
      this.work(body.length);
      this.sink.attachment(own, offset);
    } else {
      this.sink.notice(unknownKind(kind, body.length, offset));
    }
    return true;
  }

  /** Counts bytes that were read or copied. */
  protected work(bytes: number): void {
    this.#touched += bytes;
  }

  /** Delivers the body of a text frame. */
  protected text(body: Uint8Array, offset: number): void {
    this.work(body.length);
    const { text, wellFormed } = decodeText(body);
    if (!wellFormed) this.sink.notice(notUtf8("frame", offset));
    this.sink.text(text, offset);
  }

  /** Checks a length before anything of the frame is buffered. */
  #accepts(length: number, offset: number, limit: MessageLimit): boolean {
    if (length > 0 && length <= limit.bytes) return true;
    this.#stop(length === 0 ? frameEmpty(offset) : frameOverLimit(length, offset, limit));
    return false;
  }

  #takeHeader(bytes: Uint8Array, at: number): number {
    if (this.#headerLength === 0) {
      this.#offset = this.base + at;
      this.#headerLimit = this.limit;
      this.#length = 0;
    }
    while (at < bytes.length) {
      const byte = bytes[at++] as number;
      if (++this.#headerLength === HEADER_BYTES) {
        this.#openBody(byte);
        break;
      }
      this.#length = this.#length * 0x100 + byte;
      if (this.#headerLength === LENGTH_BYTES && !this.#accepts(this.#length, this.#offset, this.#headerLimit)) break;
    }
    return at;
  }

  #openBody(kind: number): void {
    this.work(HEADER_BYTES);
    this.#kind = kind;
    this.#bodyLength = this.#length - 1;
    this.#bodyArrived = 0;
    this.#target = kind === ATTACHMENT ? this.#pool.reuse(this.#bodyLength) : undefined;
    if (kind !== TEXT && kind !== ATTACHMENT) {
      this.sink.notice(unknownKind(kind, this.#bodyLength, this.#offset));
    }
    if (this.#bodyLength === 0) this.#closeFrame();
  }

  #takeBody(bytes: Uint8Array, at: number): number {
    const to = Math.min(bytes.length, at + this.#bodyLength - this.#bodyArrived);
    if (this.#kind === TEXT) this.#tail.append(bytes, at, to, this.#bodyLength);
    else if (this.#kind === ATTACHMENT) this.#takeAttachment(bytes, at, to);
    this.#bodyArrived += to - at;
    if (this.#bodyArrived === this.#bodyLength) this.#closeFrame();
    return to;
  }

  #takeAttachment(bytes: Uint8Array, at: number, to: number): void {
    const arrived = this.#bodyArrived + to - at;
    if (this.#target === undefined && arrived < Math.min(this.#bodyLength, EARNEST_BYTES)) {
      // A claim alone allocates nothing: a peer that dribbles gets its buffer when this much is there.
      this.#tail.append(bytes, at, to, EARNEST_BYTES);
      return;
    }
    if (this.#target === undefined) {
      this.#target = this.#pool.allocate(this.#bodyLength);
      this.#target.set(this.#tail.bytes);
      this.work(this.#tail.length);
      this.#tail.clear();
    }
    this.#target.set(bytes.subarray(at, to), this.#bodyArrived);
    this.work(to - at);
  }

  #closeFrame(): void {
    this.#headerLength = 0;
    if (this.#kind === TEXT) {
      this.text(this.#tail.bytes, this.#offset);
      this.#tail.clear();
    } else if (this.#kind === ATTACHMENT) {
      const body = this.#target ?? this.#pool.allocate(0);
      this.#target = undefined;
      this.sink.attachment(body, this.#offset);
    }
  }

  #stop(error: CodecError): void {
    this.#stopped = true;
    this.base = error.offset;
    this.#headerLength = 0;
    this.#target = undefined;
    this.#lazyTail?.clear();
    this.sink.fail(error);
  }
}

/** Where the frame at `bytes[at]` ends, going by its length. */
export function frameEnd(bytes: Uint8Array, at: number): number {
  return at + LENGTH_BYTES + readLength(bytes, at);
}

function readLength(bytes: Uint8Array, at: number): number {
  // Multiplied, not shifted, for the top byte: a length is unsigned.
  return (
    (bytes[at] as number) * 0x1000000 +
    (((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number))
  );
}
