/**
 * Bytes to messages and back: the contract that the `wasm` and the `scalar` codec both keep.
 * Synchronous, no I/O, no timers. Bytes go in by chunks; whole messages come out through a sink, in order.
 */

/** Why a decoder stopped for good, or what it skipped. */
export type CodecErrorCode =
  /** A message is longer than the limit, which the text calls by its `limitName`. */
  | "limit"
  /** A frame that cannot be: a zero-length payload. */
  | "malformed"
  /** The bytes ended inside a message. */
  | "truncated";

/**
 * A fault in the bytes that no later byte can repair: the decoder that reported it takes no more input.
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

/** Something worth telling a person that cost at most one message; the stream goes on. */
export interface CodecNotice {
  /** `not-utf8`: the text was delivered with U+FFFD in it. `unknown-kind`: a frame was skipped. */
  readonly code: "not-utf8" | "unknown-kind";
  readonly message: string;
  /** Where the message starts, in bytes from the beginning of the stream. */
  readonly offset: number;
}

/**
 * Takes what a decoder finds. Called synchronously inside `push` and `end`, in stream order.
 * A sink method that throws breaks the decoder's promise to go on: sinks do not throw.
 */
export interface DecoderSink {
  /** The text of one JSON message: a line without its ending, or the body of a kind-0 frame. Never blank for lines. */
  text(text: string, offset: number): void;
  /**
   * The body of a kind-1 frame, in a buffer of its own that the receiver keeps.
   * Hand `body` back with `Decoder.recycle` once nothing reads it any more, and the next one needs no new memory.
   */
  attachment(body: Uint8Array, offset: number): void;
  notice(notice: CodecNotice): void;
  /** The last call a decoder makes. */
  fail(error: CodecError): void;
}

/** How large a message may be, and what that limit is called. */
export interface DecoderOptions {
  /** Largest message in bytes: a line without its ending, or a frame's payload with its kind byte. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** What the limit is called in the error text. Default `maxMessageBytes`. */
  readonly limitName?: string | undefined;
}

/** Cuts one direction of one connection into messages. */
export interface Decoder {
  /** Takes the next bytes, which are only read during the call. */
  push(chunk: Uint8Array): void;
  /** Says that no byte will follow. A line without its LF is delivered; inside a frame it fails with `truncated`. */
  end(): void;
  /** Changes the limit for messages that start from now on (larger after a handshake, X-06). */
  setMaxMessageBytes(bytes: number, limitName?: string): void;
  /** The message whose end has not come, in words: where it starts and how much of it is there. Undefined between messages. */
  unfinished(): string | undefined;
  /** Gives an attachment's buffer back for reuse. Nobody may read or write it afterwards. */
  recycle(body: Uint8Array): void;
  /** Bytes taken so far, those of the push under way not counted; after a failure, where the faulty message starts. */
  readonly consumed: number;
  /** Bytes read, scanned or copied so far: the cost, which grows with `consumed` and not with how the bytes were cut. */
  readonly touched: number;
}

/** How the pixels of a picture lie in memory. */
export interface PixelLayout {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Bytes from one row to the next, at least `width * 4`. */
  readonly stride: number;
  /** the order of the four bytes of a pixel; `x` formats have no alpha and come out opaque. */
  readonly format: "rgba" | "bgra" | "rgbx" | "bgrx";
}

/** Bytes to messages and pixels to pixels, in one of two ways that give the same answers. */
export interface Codec {
  readonly name: "wasm" | "scalar";
  /** Messages separated by LF (D-01). */
  lines(sink: DecoderSink, options?: DecoderOptions): Decoder;
  /** Messages behind a 4-byte big-endian length and a kind byte (M-01). */
  frames(sink: DecoderSink, options?: DecoderOptions): Decoder;
  /**
   * Copies pixels to tight RGBA, `width * height * 4` bytes, into `target` or a new array.
   * `source` starts at the first pixel and holds at least `stride * (height - 1) + width * 4` bytes, else RangeError.
   */
  pixels(source: Uint8Array, layout: PixelLayout, target?: Uint8Array): Uint8Array<ArrayBuffer>;
}
