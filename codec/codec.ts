/**
 * Bytes to messages and back: the contract that both the `wasm` and the `scalar` codec implement.
 * Synchronous, no I/O, no timers. Bytes go in chunk by chunk; whole messages come out through a sink, in order.
 */

/** Why a decoder stopped for good, or what it skipped. */
export type CodecErrorCode =
  /** A message is longer than the limit; the error's text calls the limit by its `limitName`. */
  | "limit"
  /** An impossible frame: its payload has zero bytes. */
  | "malformed"
  /** The bytes ended inside a message. */
  | "truncated";

/**
 * A fault in the bytes that later bytes can't repair: the decoder that reported it accepts no more input.
 *
 * @example
 * ```ts
 * import { CodecError, LineDecoderStream } from "extwire";
 * const bytes = new Blob(["a line that is too long"]).stream();
 * try {
 *   for await (const text of bytes.pipeThrough(new LineDecoderStream({ maxMessageBytes: 8 }))) console.log(text);
 * } catch (error) {
 *   if (error instanceof CodecError) console.log(error.code, error.offset); // limit 0
 * }
 * ```
 */
export class CodecError extends Error {
  override readonly name = "CodecError";
  readonly code: CodecErrorCode;
  /** Where the faulty message starts, in bytes from the beginning of the stream. */
  readonly offset: number;

  constructor(code: CodecErrorCode, message: string, offset: number) {
    super(message);
    this.code = code;
    this.offset = offset;
  }
}

/** A minor fault, worth reporting, that affects at most one message; the stream goes on. */
export interface CodecNotice {
  /** `not-utf8`: the text was delivered with U+FFFD in it. `unknown-kind`: a frame was skipped. */
  readonly code: "not-utf8" | "unknown-kind";
  readonly message: string;
  /** Where the message starts, in bytes from the beginning of the stream. */
  readonly offset: number;
}

/**
 * Receives what a decoder finds. Called synchronously inside `push` and `end`, in stream order.
 * Its methods must not throw: the decoder could not go on.
 */
export interface DecoderSink {
  /** The text of one JSON message: a line without its ending, or the body of a kind-0 frame. Never blank for lines. */
  text(text: string, offset: number): void;
  /**
   * The body of a kind-1 frame, in a buffer of its own that belongs to the receiver.
   * Pass `body` to `Decoder.recycle` when nothing reads it any more, and the next attachment needs no new memory.
   */
  attachment(body: Uint8Array, offset: number): void;
  notice(notice: CodecNotice): void;
  /** The last call a decoder makes. */
  fail(error: CodecError): void;
}

/** How large a message may be, and what that limit is called. */
export interface DecoderOptions {
  /** The largest message, in bytes: a line without its ending, or a frame's payload with its kind byte. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** What the limit is called in the error text. Default `maxMessageBytes`. */
  readonly limitName?: string | undefined;
}

/** Splits one direction of one connection into messages. */
export interface Decoder {
  /** Takes the next bytes. They are read during this call only; the caller may reuse the memory afterwards. */
  push(chunk: Uint8Array): void;
  /** Ends the input. A last line without its LF is delivered; inside a frame the decoder fails with `truncated`. */
  end(): void;
  /** Changes the limit for messages that start from now on: it is larger after a handshake. */
  setMaxMessageBytes(bytes: number, limitName?: string): void;
  /** Describes an incomplete message in words: where it starts and how much of it has arrived. Undefined between messages. */
  unfinished(): string | undefined;
  /** Returns an attachment's buffer for reuse. It must not be read or written afterwards. */
  recycle(body: Uint8Array): void;
  /** Bytes taken so far, without those of a `push` in progress; after a failure, where the faulty message starts. */
  readonly consumed: number;
  /** Bytes read, scanned or copied so far: the cost, which grows with `consumed` and does not depend on the size of chunks. */
  readonly touched: number;
}

/** How the pixels of a picture lie in memory. */
export interface PixelLayout {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Bytes from one row to the next, at least `width * 4`. */
  readonly stride: number;
  /** The order of the four bytes of a pixel; `x` formats have no alpha and become opaque. */
  readonly format: "rgba" | "bgra" | "rgbx" | "bgrx";
}

/** Splits bytes into messages and converts pixels. There are two implementations, with the same results. */
export interface Codec {
  readonly name: "wasm" | "scalar";
  /** Messages separated by LF (D-01). */
  lines(sink: DecoderSink, options?: DecoderOptions): Decoder;
  /** Messages behind a 4-byte big-endian length and a kind byte (M-01). */
  frames(sink: DecoderSink, options?: DecoderOptions): Decoder;
  /**
   * Copies pixels as RGBA without padding, `width * height * 4` bytes, into `target` or a new array.
   * `source` starts at the first pixel. Throws a RangeError if it has fewer than `stride * (height - 1) + width * 4` bytes.
   */
  pixels(source: Uint8Array, layout: PixelLayout, target?: Uint8Array): Uint8Array<ArrayBuffer>;
}
