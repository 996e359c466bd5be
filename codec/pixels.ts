import type { PixelLayout } from "./codec.ts";

export const PIXEL_BYTES = 4;
/** As X-11 writes the numbers of a layout. */
const MAX_UINT32 = 0xffff_ffff;

/** Whether blue and red stand the other way round than in RGBA. */
export function isBlueFirst(format: PixelLayout["format"]): boolean {
  return format === "bgra" || format === "bgrx";
}

export function hasAlpha(format: PixelLayout["format"]): boolean {
  return format === "rgba" || format === "bgra";
}

/** Why no picture lies like that, in words, or undefined. `least` is 0 where a picture may be empty, else 1. */
export function layoutFault({ width, height, stride }: Omit<PixelLayout, "format">, least: 0 | 1): string | undefined {
  for (const [name, value] of Object.entries({ width, height, stride })) {
    if (!Number.isInteger(value) || value < least || value > MAX_UINT32)
      return `${name} must be a whole number from ${least} to ${MAX_UINT32}, not ${value}`;
  }
  const row = width * PIXEL_BYTES;
  return stride < row ? `a stride of ${stride} bytes is less than the ${row} of ${width} pixels` : undefined;
}

/** Checks a layout against the bytes it describes; returns the target, cut to the picture or made new. */
export function pixelTarget(source: Uint8Array, layout: PixelLayout, target?: Uint8Array): Uint8Array<ArrayBuffer> {
  const wrong = layoutFault(layout, 0);
  if (wrong !== undefined) throw new RangeError(wrong);
  const { width, height, stride } = layout;
  const row = width * PIXEL_BYTES;
  const needed = width === 0 || height === 0 ? 0 : stride * (height - 1) + row;
  if (source.length < needed) {
    throw new RangeError(
      `${source.length} bytes of pixels are too few for ${width} x ${height} with stride ${stride}: ${needed} are needed`,
    );
  }
  const size = row * height;
  if (target === undefined) return new Uint8Array(size);
  if (target.length < size)
    throw new RangeError(`the target holds ${target.length} bytes, but ${width} x ${height} pixels need ${size}`);
  return new Uint8Array(target.buffer as ArrayBuffer, target.byteOffset, size);
}

/** The plain copy: one pixel after the other. */
export function copyPixels(source: Uint8Array, layout: PixelLayout, target?: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = pixelTarget(source, layout, target);
  const { width, height, stride, format } = layout;
  const red = isBlueFirst(format) ? 2 : 0;
  const opaque = hasAlpha(format) ? 0 : 0xff;
  let to = 0;
  for (let row = 0; row < height; row++) {
    let from = row * stride;
    for (let column = 0; column < width; column++, from += PIXEL_BYTES, to += PIXEL_BYTES) {
      out[to] = source[from + red] as number;
      out[to + 1] = source[from + 1] as number;
      out[to + 2] = source[from + 2 - red] as number;
      out[to + 3] = (source[from + 3] as number) | opaque;
    }
  }
  return out;
}
