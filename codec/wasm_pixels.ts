import type { PixelLayout } from "./codec.ts";
import { hasAlpha, isBlueFirst, PIXEL_BYTES, pixelTarget } from "./pixels.ts";
import { PIXELS_BYTES } from "./wasm_layout.ts";
import type { WasmModule } from "./wasm_module.ts";

/** Copies pixels to tight RGBA, a block at a time. Where only the stride goes, the runtime's own copy is the fastest there is. */
export function copyPixelsWith(
  module: WasmModule,
  source: Uint8Array,
  layout: PixelLayout,
  target?: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const out = pixelTarget(source, layout, target);
  const { format, height, stride } = layout;
  const swap = isBlueFirst(format);
  const opaque = !hasAlpha(format);
  let row = layout.width * PIXEL_BYTES;
  let rows = height;
  if (stride === row) [row, rows] = [row * rows, 1];
  for (let index = 0; index < rows; index++) {
    const start = index * stride;
    if (!swap && !opaque) {
      out.set(source.subarray(start, start + row), index * row);
      continue;
    }
    for (let at = 0; at < row; at += PIXELS_BYTES) {
      const to = Math.min(at + PIXELS_BYTES, row);
      module.convertPixels(source, start + at, start + to, swap, opaque, out, index * row + at);
    }
  }
  return out;
}
