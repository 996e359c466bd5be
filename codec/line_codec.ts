import type { Codec } from "./codec.ts";
import { TextLineDecoder } from "./text_lines.ts";

/**
 * Lines alone, for an extension on stdin and stdout: as fast there as the whole codec, and nothing to compile or to
 * carry along that is for frames.
 *
 * @example
 * ```ts
 * const texts: string[] = [];
 * const sink = { text: (text: string) => void texts.push(text), attachment() {}, notice() {}, fail() {} };
 * lineCodec.lines(sink).push(new TextEncoder().encode("[1]\n[2]\n"));
 * console.log(texts); // ["[1]", "[2]"]
 * ```
 */
export const lineCodec: Pick<Codec, "lines"> = {
  lines: (sink, options) => new TextLineDecoder({ smallChunkBytes: 0, largeMessageBytes: 0 }, sink, options),
};
