import { INPUT } from "./memory";

/**
 * Turns the first `bytes` bytes of the block to RGBA where they are. `swap` exchanges red and blue, `alpha` is or-ed into
 * every pixel. Works in vectors: up to 63 bytes behind the end are turned as well.
 */
export function convert_pixels(bytes: i32, swap: bool, alpha: i32): void {
  const opaque = i32x4.splat(alpha);
  const end = INPUT + bytes;
  if (swap) {
    for (let at = INPUT; at < end; at += 64) {
      v128.store(at, v128.or(opaque, swapped(v128.load(at))));
      v128.store(at, v128.or(opaque, swapped(v128.load(at, 16))), 16);
      v128.store(at, v128.or(opaque, swapped(v128.load(at, 32))), 32);
      v128.store(at, v128.or(opaque, swapped(v128.load(at, 48))), 48);
    }
  } else {
    for (let at = INPUT; at < end; at += 64) {
      v128.store(at, v128.or(opaque, v128.load(at)));
      v128.store(at, v128.or(opaque, v128.load(at, 16)), 16);
      v128.store(at, v128.or(opaque, v128.load(at, 32)), 32);
      v128.store(at, v128.or(opaque, v128.load(at, 48)), 48);
    }
  }
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function swapped(pixels: v128): v128 {
  return i8x16.shuffle(pixels, pixels, 2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);
}
