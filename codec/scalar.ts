import type { Codec } from "./codec.ts";
import { FrameDecoder } from "./frame_decoder.ts";
import { LineDecoder } from "./line_decoder.ts";
import { copyPixels } from "./pixels.ts";

/**
 * The codec in plain TypeScript. It runs everywhere, and is the reference for the faster one.
 *
 * @example
 * ```ts
 * import { type DecoderSink, scalarCodec } from "extwire";
 * const texts: string[] = [];
 * const sink: DecoderSink = {
 *   text: (text) => void texts.push(text),
 *   attachment() {},
 *   notice: ({ message }) => console.error(message),
 *   fail: (error) => console.error(error.message),
 * };
 * scalarCodec.lines(sink).push(new TextEncoder().encode("[1]\r\n[2]\n[3"));
 * console.log(texts); // ["[1]", "[2]"]
 * ```
 */
export const scalarCodec: Codec = {
  name: "scalar",
  lines: (sink, options) => new LineDecoder(sink, options),
  frames: (sink, options) => new FrameDecoder(sink, options),
  pixels: copyPixels,
};
