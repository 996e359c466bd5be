/** The encoding `mxfb0001`: what a VM shows, as the bytes of an attachment and back (M-04, X-11). */
import type { Codec, PixelLayout } from "../../codec/codec.ts";
import { layoutFault } from "../../codec/pixels.ts";
import { ExtensionError } from "../rpc/errors.ts";

export const FRAMEBUFFER_ENCODING = "mxfb0001";
/** The magic and four numbers. With the header of an attachment before it the pixels start on a multiple of 16 bytes. */
const FRAMEBUFFER_HEADER_BYTES = 24;

const FORMATS: readonly PixelLayout["format"][] = ["rgba", "bgra", "rgbx", "bgrx"];

/** A framebuffer as it is in an attachment. */
export interface Framebuffer extends PixelLayout {
  /** Exactly `height * stride` bytes, a view of the bytes it was read from. */
  readonly pixels: Uint8Array;
}

/**
 * Returns the bytes of an `mxfb0001` framebuffer in two parts, without copying the pixels. Throws a RangeError for an
 * inconsistent layout.
 *
 * @example
 * ```ts
 * import { framebufferParts } from "extwire";
 * const pixels = new Uint8Array(2 * 1 * 4);
 * const [header] = framebufferParts({ width: 2, height: 1, stride: 8, format: "rgba", pixels });
 * console.log(header.length); // 24
 * ```
 */
export function framebufferParts(picture: Framebuffer): [header: Uint8Array, pixels: Uint8Array] {
  const { width, height, stride, format, pixels } = picture;
  const code = FORMATS.indexOf(format);
  const size = height * stride;
  let wrong = layoutFault(picture, 1);
  if (code < 0) wrong ??= `its format is ${String(format)}, not one of ${FORMATS.join(", ")}`;
  if (pixels.length < size)
    wrong ??= `${height} rows of ${stride} bytes are ${size} bytes, but it has ${pixels.length}`;
  if (wrong !== undefined) throw new RangeError(`this picture can't be sent: ${wrong}`);
  const header = new Uint8Array(FRAMEBUFFER_HEADER_BYTES);
  for (let i = 0; i < FRAMEBUFFER_ENCODING.length; i++) header[i] = FRAMEBUFFER_ENCODING.charCodeAt(i);
  const view = new DataView(header.buffer);
  [width, height, stride, code].forEach((value, index) => {
    view.setUint32(8 + index * 4, value);
  });
  return [header, pixels.subarray(0, size)];
}

/**
 * Reads a framebuffer from the bytes of an attachment. Throws an ExtensionError `protocol` that says what is wrong.
 *
 * @example
 * ```ts
 * import { framebufferParts, parseFramebuffer, scalarCodec, toRgba } from "extwire";
 * const pixels = new Uint8Array([3, 2, 1, 0]); // blue 3, green 2, red 1
 * const parts = framebufferParts({ width: 1, height: 1, stride: 4, format: "bgrx", pixels });
 * const picture = parseFramebuffer(new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer()));
 * console.log(Array.from(toRgba(picture, scalarCodec))); // [1, 2, 3, 255]
 * ```
 */
export function parseFramebuffer(bytes: Uint8Array): Framebuffer {
  if (bytes.length < FRAMEBUFFER_HEADER_BYTES) {
    throw malformed(`${bytes.length} bytes are fewer than the ${FRAMEBUFFER_HEADER_BYTES} of its header`);
  }
  const magic = String.fromCharCode(...bytes.subarray(0, FRAMEBUFFER_ENCODING.length));
  if (magic !== FRAMEBUFFER_ENCODING) throw malformed(`it begins with ${JSON.stringify(magic)}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = view.getUint32(8);
  const height = view.getUint32(12);
  const stride = view.getUint32(16);
  const format = FORMATS[view.getUint32(20)];
  if (format === undefined) throw malformed(`its pixel format is ${view.getUint32(20)}, but only 0 to 3 are known`);
  const wrong = layoutFault({ width, height, stride }, 1);
  if (wrong !== undefined) throw malformed(wrong);
  const pixels = bytes.subarray(FRAMEBUFFER_HEADER_BYTES);
  if (pixels.length !== height * stride) {
    throw malformed(`${height} rows of ${stride} bytes are ${height * stride} bytes, but ${pixels.length} came`);
  }
  return { width, height, stride, format, pixels };
}

/** Whether the pixels are tight RGBA as they lie. */
export function isTightRgba(picture: PixelLayout): boolean {
  return picture.format === "rgba" && picture.stride === picture.width * 4;
}

/**
 * Returns a picture as RGBA without padding, `width * height * 4` bytes: the pixels themselves if they are that already, else
 * a copy in `target` or in new memory.
 *
 * @example
 * ```ts
 * import { scalarCodec, toRgba } from "extwire";
 * const pixels = new Uint8Array([1, 2, 3, 4]);
 * console.log(toRgba({ width: 1, height: 1, stride: 4, format: "rgba", pixels }, scalarCodec) === pixels); // true
 * ```
 */
export function toRgba(picture: Framebuffer, codec: Codec, target?: Uint8Array): Uint8Array {
  return isTightRgba(picture) ? picture.pixels : codec.pixels(picture.pixels, picture, target);
}

function malformed(why: string): ExtensionError {
  return new ExtensionError("protocol", `the framebuffer is not ${FRAMEBUFFER_ENCODING}: ${why}`);
}
