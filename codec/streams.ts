import { checkBytes } from "./check_bytes.ts";
import type { Codec, CodecNotice, Decoder, DecoderOptions, DecoderSink } from "./codec.ts";
import { encodeFrames, encodeLines } from "./encode.ts";
import { scalarCodec } from "./scalar.ts";

/** One frame: the text of a JSON message, or the body of an attachment. */
export type Frame =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "attachment"; readonly body: Uint8Array };

/** Options of the decoding streams. */
export interface DecoderStreamOptions extends DecoderOptions {
  /** Default: the plain codec. */
  readonly codec?: Codec | undefined;
  /** Called for a fault that affects at most one message: bytes that are not UTF-8, a frame of an unknown kind. */
  readonly onNotice?: ((notice: CodecNotice) => void) | undefined;
}

/** A TransformStream's two sides. A class that extends TransformStream itself makes Node load all its streams on import, 10 ms. */
class TransformPair<I, O> implements TransformStream<I, O> {
  readonly readable: ReadableStream<O>;
  readonly writable: WritableStream<I>;

  // Its declaration names only what Node's types have too.
  constructor({ readable, writable }: TransformStream<I, O>) {
    this.readable = readable;
    this.writable = writable;
  }
}

/**
 * Takes bytes, emits the text of one line at a time (D-01). Fails with a `CodecError` for bytes that can't be lines within the
 * limit.
 *
 * @example
 * ```ts
 * import { LineDecoderStream } from "extwire";
 * const bytes = new Blob(['{"a":1}\n{"a":2}\n']).stream();
 * for await (const text of bytes.pipeThrough(new LineDecoderStream())) console.log(JSON.parse(text).a);
 * ```
 */
export class LineDecoderStream extends TransformPair<Uint8Array, string> {
  constructor(options: DecoderStreamOptions = {}) {
    super(new TransformStream(decoding(options, "lines", (text) => text, undefined)));
  }
}

/**
 * Takes bytes, emits one frame at a time (M-01). Fails with a `CodecError` for bytes that can't be frames within the limit.
 *
 * @example
 * ```ts
 * import { FrameDecoderStream } from "extwire";
 * const bytes = new Blob([new Uint8Array([0, 0, 0, 3, 0, 0x34, 0x32])]).stream(); // the length, kind 0, "42"
 * for await (const frame of bytes.pipeThrough(new FrameDecoderStream())) {
 *   if (frame.kind === "text") console.log(JSON.parse(frame.text)); // 42
 * }
 * ```
 */
export class FrameDecoderStream extends TransformPair<Uint8Array, Frame> {
  readonly #recycle: (body: Uint8Array) => void;

  constructor(options: DecoderStreamOptions = {}) {
    const transformer = decoding<Frame>(
      options,
      "frames",
      (text) => ({ kind: "text", text }),
      (body) => ({ kind: "attachment", body }),
    );
    super(new TransformStream(transformer));
    this.#recycle = transformer.recycle;
  }

  /** Returns the buffer of an attachment for reuse, see {@linkcode Decoder.recycle}. */
  recycle(body: Uint8Array): void {
    this.#recycle(body);
  }
}

/**
 * Takes texts, emits lines, see {@linkcode encodeLines}.
 *
 * @example
 * ```ts
 * import { LineEncoderStream } from "extwire";
 * const { readable, writable } = new LineEncoderStream();
 * const writer = writable.getWriter();
 * void writer.write('{"a":1}').then(() => writer.close());
 * console.log(await new Response(readable).text()); // {"a":1}
 * ```
 */
export class LineEncoderStream extends TransformPair<string, Uint8Array> {
  constructor() {
    super(new TransformStream({ transform: (text, controller) => controller.enqueue(encodeLines([text])) }));
  }
}

/**
 * Takes frames, emits bytes, see {@linkcode encodeFrames}. The body of an attachment is passed on, not copied.
 *
 * @example
 * ```ts
 * import { FrameEncoderStream } from "extwire";
 * const { readable, writable } = new FrameEncoderStream();
 * const writer = writable.getWriter();
 * void writer.write({ kind: "text", text: "42" }).then(() => writer.close());
 * console.log((await new Response(readable).arrayBuffer()).byteLength); // 7
 * ```
 */
export class FrameEncoderStream extends TransformPair<Frame, Uint8Array> {
  constructor() {
    super(
      new TransformStream({
        transform(frame, controller) {
          for (const piece of encodeFrames([frame.kind === "text" ? frame.text : [frame.body]]))
            controller.enqueue(piece);
        },
      }),
    );
  }
}

interface Decoding<T> extends Transformer<Uint8Array, T> {
  recycle(body: Uint8Array): void;
}

function decoding<T>(
  options: DecoderStreamOptions,
  format: "lines" | "frames",
  fromText: (text: string) => T,
  fromBody: ((body: Uint8Array) => T) | undefined,
): Decoding<T> {
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
    transform(chunk) {
      checkBytes(chunk, "a chunk");
      decoder.push(chunk);
    },
    flush: () => decoder.end(),
    recycle: (body) => decoder.recycle(body),
  };
}
