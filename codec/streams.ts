import type { Codec, CodecNotice, Decoder, DecoderOptions, DecoderSink } from "./codec.ts";
import { encodeFrames, encodeLines } from "./encode.ts";
import { scalarCodec } from "./scalar.ts";

/** One frame: the text of a JSON message, or the body of an attachment. */
export type Frame =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "attachment"; readonly body: Uint8Array };

export interface DecoderStreamOptions extends DecoderOptions {
  /** Default: the plain codec. */
  readonly codec?: Codec;
  /** Told of what cost at most one message: bytes that were not UTF-8, a frame of an unknown kind. */
  readonly onNotice?: (notice: CodecNotice) => void;
}

/**
 * Bytes in, the text of one line out (D-01). Errors with `CodecError` where the bytes cannot be lines within the limit.
 *
 * @example
 * ```ts
 * for await (const text of file.stream().pipeThrough(new LineDecoderStream())) console.log(JSON.parse(text));
 * ```
 */
export class LineDecoderStream extends TransformStream<Uint8Array, string> {
  constructor(options: DecoderStreamOptions = {}) {
    super(_decoding(options, "lines", (text) => text, undefined));
  }
}

/**
 * Bytes in, one frame out (M-01). Errors with `CodecError` where the bytes cannot be frames within the limit.
 *
 * @example
 * ```ts
 * for await (const frame of socket.readable.pipeThrough(new FrameDecoderStream())) {
 *   if (frame.kind === "text") console.log(JSON.parse(frame.text));
 * }
 * ```
 */
export class FrameDecoderStream extends TransformStream<Uint8Array, Frame> {
  readonly #recycle: (body: Uint8Array) => void;

  constructor(options: DecoderStreamOptions = {}) {
    const transformer = _decoding<Frame>(
      options,
      "frames",
      (text) => ({ kind: "text", text }),
      (body) => ({ kind: "attachment", body }),
    );
    super(transformer);
    this.#recycle = transformer.recycle;
  }

  /** Gives the body of an attachment back, see {@linkcode Decoder.recycle}. */
  recycle(body: Uint8Array): void {
    this.#recycle(body);
  }
}

/** Texts in, lines out, see {@linkcode encodeLines}. */
export class LineEncoderStream extends TransformStream<string, Uint8Array> {
  constructor() {
    super({ transform: (text, controller) => controller.enqueue(encodeLines([text])) });
  }
}

/** Frames in, bytes out, see {@linkcode encodeFrames}. The body of an attachment is passed on, not copied. */
export class FrameEncoderStream extends TransformStream<Frame, Uint8Array> {
  constructor() {
    super({
      transform(frame, controller) {
        for (const piece of encodeFrames([frame.kind === "text" ? frame.text : [frame.body]]))
          controller.enqueue(piece);
      },
    });
  }
}

interface _Decoding<T> extends Transformer<Uint8Array, T> {
  recycle(body: Uint8Array): void;
}

function _decoding<T>(
  options: DecoderStreamOptions,
  format: "lines" | "frames",
  fromText: (text: string) => T,
  fromBody: ((body: Uint8Array) => T) | undefined,
): _Decoding<T> {
  let decoder: Decoder;
  return {
    start(controller) {
      const sink: DecoderSink = {
        text: (text) => controller.enqueue(fromText(text)),
        attachment: (body) => fromBody && controller.enqueue(fromBody(body)),
        notice: (notice) => options.onNotice?.(notice),
        fail: (error) => controller.error(error),
      };
      decoder = (options.codec ?? scalarCodec)[format](sink, options);
    },
    transform: (chunk) => decoder.push(chunk),
    flush: () => decoder.end(),
    recycle: (body) => decoder.recycle(body),
  };
}
