/** A picture on the terminal, as well as that terminal can. */
import { graphicsProtocol, graphicsText } from "./graphics.ts";
import { halfBlocks } from "./half_blocks.ts";
import type { Output } from "./output.ts";
import { decodePng } from "./png_decode.ts";

export interface PictureSpace {
  readonly columns?: number;
  readonly rows?: number;
  /** Put before each line. Default: nothing. */
  readonly indent?: string;
}

/** Of the screen, what is left to read around it. */
const ROWS_KEPT = 6;
/** On a huge terminal a picture the size of a wall helps nobody. */
const MOST_COLUMNS = 80;
const MOST_ROWS = 24;

/** Shows a picture on stdout, and says whether it could: not through a pipe, and not what isn't a PNG. */
export function showPicture(output: Output, png: Uint8Array, space: PictureSpace = {}): boolean {
  if (!output.outIsTerminal || output.env["TERM"] === "dumb") return false;
  const { indent = "" } = space;
  const columns = Math.min(space.columns ?? MOST_COLUMNS, output.outColumns - 2 - indent.length);
  const rows = Math.max(4, Math.min(space.rows ?? MOST_ROWS, output.outRows - ROWS_KEPT));
  const pixels = decodePng(png);
  if (pixels === undefined) return false;
  const protocol = graphicsProtocol(output.env);
  if (protocol !== undefined) {
    // Cells are about twice as high as they are wide.
    const wide = Math.max(1, Math.min(columns, Math.round((rows * 2 * pixels.width) / pixels.height)));
    output.write(indent + graphicsText(protocol, png, wide));
    return true;
  }
  if (output.outDepth !== "truecolor" && output.outDepth !== "256") return false;
  for (const line of halfBlocks(pixels, columns, rows, output.outDepth)) output.line(indent + line);
  return true;
}
