import type { Codec } from "./codec.ts";
import { TextLineDecoder } from "./text_lines.ts";

/**
 * Lines alone, for an extension on stdin and stdout: as fast there as the whole codec, and nothing to compile or to
 * carry along that is for frames.
 */
export const lineCodec: Pick<Codec, "lines"> = {
  lines: (sink, options) => new TextLineDecoder({ smallChunkBytes: 0, largeMessageBytes: 0 }, sink, options),
};
