import type { Codec } from "./codec.ts";
import { FrameDecoder } from "./frame_decoder.ts";
import { LineDecoder } from "./line_decoder.ts";
import { copyPixels } from "./pixels.ts";

/** The codec in plain TypeScript: runs everywhere, and says what the faster one has to answer. */
export const scalarCodec: Codec = {
  name: "scalar",
  lines: (sink, options) => new LineDecoder(sink, options),
  frames: (sink, options) => new FrameDecoder(sink, options),
  pixels: copyPixels,
};
