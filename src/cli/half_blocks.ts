/** A picture in characters: each shows two pixels, the upper one in the colour of ▀, the lower one in its background. */
import type { Pixels } from "./png_decode.ts";

/** The lines of `picture` in at most `columns` by `rows` characters, never enlarged. */
export function halfBlocks(picture: Pixels, columns: number, rows: number, depth: "256" | "truecolor"): string[] {
  const scale = Math.min(1, columns / picture.width, (rows * 2) / picture.height);
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const rgb = shrink(picture, width, height);
  const lines: string[] = [];
  for (let y = 0; y < height; y += 2) {
    let line = "";
    let last = "";
    for (let x = 0; x < width; x++) {
      const upper = color(rgb, (y * width + x) * 3, depth);
      const lower = y + 1 < height ? `48;${color(rgb, ((y + 1) * width + x) * 3, depth)}` : "49";
      const colors = `\x1b[38;${upper};${lower}m`;
      line += colors === last ? "▀" : `${colors}▀`;
      last = colors;
    }
    lines.push(`${line}\x1b[0m`);
  }
  return lines;
}

/** Each target pixel is the mean of the pixels it covers, laid over black. There are no more of them than pixels. */
function shrink({ width, height, rgba }: Pixels, toWidth: number, toHeight: number): Uint8Array {
  const rgb = new Uint8Array(toWidth * toHeight * 3);
  for (let y = 0; y < toHeight; y++) {
    const top = Math.floor((y * height) / toHeight);
    const bottom = Math.floor(((y + 1) * height) / toHeight);
    for (let x = 0; x < toWidth; x++) {
      const left = Math.floor((x * width) / toWidth);
      const right = Math.floor(((x + 1) * width) / toWidth);
      const sum: [number, number, number] = [0, 0, 0];
      for (let v = top; v < bottom; v++) {
        for (let u = left; u < right; u++) {
          const at = (v * width + u) * 4;
          const alpha = rgba[at + 3]! / 255;
          for (let i = 0; i < 3; i++) sum[i] = sum[i]! + rgba[at + i]! * alpha;
        }
      }
      const count = (bottom - top) * (right - left);
      for (let i = 0; i < 3; i++) rgb[(y * toWidth + x) * 3 + i] = Math.round(sum[i]! / count);
    }
  }
  return rgb;
}

function color(rgb: Uint8Array, at: number, depth: "256" | "truecolor"): string {
  const [r, g, b] = [rgb[at]!, rgb[at + 1]!, rgb[at + 2]!];
  return depth === "truecolor" ? `2;${r};${g};${b}` : `5;${nearestOf256(r, g, b)}`;
}

const LEVELS = [0, 95, 135, 175, 215, 255] as const;

/** The nearer one of the 6×6×6 cube and the 24 greys. */
function nearestOf256(r: number, g: number, b: number): number {
  const [i, j, k] = [r, g, b].map(nearestLevel) as [number, number, number];
  const step = Math.min(23, Math.round(((r + g + b) / 3 - 8) / 10));
  const grey = 8 + step * 10;
  const far = (x: number, y: number, z: number): number => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2;
  const inCube = far(LEVELS[i]!, LEVELS[j]!, LEVELS[k]!) <= far(grey, grey, grey);
  return inCube ? 16 + 36 * i + 6 * j + k : 232 + step;
}

function nearestLevel(value: number): number {
  let best = 0;
  for (let i = 1; i < LEVELS.length; i++) {
    if (Math.abs(LEVELS[i]! - value) < Math.abs(LEVELS[best]! - value)) best = i;
  }
  return best;
}
