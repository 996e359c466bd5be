/** A PNG of a picture, with nothing but web standards. */
import { PIXEL_BYTES } from "../../codec/pixels.ts";
import { joined } from "../rpc/bytes.ts";

/** How to compress a PNG. */
export interface PngOptions {
  /** Compresses to the zlib format. Default: the standard CompressionStream; `deflateSync` of node:zlib works too. */
  readonly deflate?: ((bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>) | undefined;
}

/** RGBA, 8 bits a channel. */
const COLOUR_TYPE = 6;
/** Each row as its difference to the row above: screens have many rows alike, and they become zeros. */
const UP_FILTER = 2;
/** The first bytes of every PNG. */
export const SIGNATURE: readonly number[] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/**
 * Encodes RGBA pixels without padding, `width * height * 4` bytes, as a PNG. Throws a RangeError for a size that PNG does not
 * allow, or for too few bytes.
 *
 * @example
 * ```ts
 * import { encodePng } from "extwire";
 * const png = await encodePng(1, 1, new Uint8Array([255, 0, 0, 255]));
 * console.log(new TextDecoder("latin1").decode(png.subarray(1, 4))); // PNG
 * ```
 */
export async function encodePng(
  width: number,
  height: number,
  rgba: Uint8Array,
  options: PngOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  for (const [name, value] of Object.entries({ width, height })) {
    if (!Number.isInteger(value) || value < 1 || value > 0x7fff_ffff) {
      throw new RangeError(`a PNG can't be made: its ${name} is ${value}`);
    }
  }
  const needed = width * height * PIXEL_BYTES;
  if (rgba.length < needed) {
    throw new RangeError(
      `a PNG can't be made: ${width} x ${height} pixels are ${needed} bytes, but there are ${rgba.length}`,
    );
  }
  const data = await (options.deflate ?? deflate)(filtered(width, height, rgba));
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, COLOUR_TYPE], 8);
  return joined([
    Uint8Array.from(SIGNATURE),
    ...chunk("IHDR", header),
    ...chunk("IDAT", data),
    ...chunk("IEND", new Uint8Array(0)),
  ]);
}

function filtered(width: number, height: number, rgba: Uint8Array): Uint8Array<ArrayBuffer> {
  const row = width * PIXEL_BYTES;
  const out = new Uint8Array((row + 1) * height);
  let to = row + 1;
  out[0] = UP_FILTER;
  out.set(rgba.subarray(0, row), 1);
  for (let from = row; from < row * height; ) {
    out[to++] = UP_FILTER;
    for (const end = from + row; from < end; from++) out[to++] = (rgba[from] as number) - (rgba[from - row] as number);
  }
  return out;
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new CompressionStream("deflate");
  const writer = stream.writable.getWriter();
  // What goes wrong here also ends the reading below, which reports it.
  writer.write(bytes as Uint8Array<ArrayBuffer>).catch(() => {});
  writer.close().catch(() => {});
  return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

/** Length and type, data, checksum. */
function chunk(type: string, data: Uint8Array): Uint8Array[] {
  const [head, end] = [new Uint8Array(8), new Uint8Array(4)];
  new DataView(head.buffer).setUint32(0, data.length);
  head.set(new TextEncoder().encode(type), 4);
  new DataView(end.buffer).setUint32(0, crc32(head.subarray(4), data));
  return [head, data, end];
}

let table: Int32Array | undefined;

function crc32(...parts: readonly Uint8Array[]): number {
  table ??= Int32Array.from({ length: 256 }, (_, n) => {
    for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
  });
  let crc = -1;
  for (const part of parts) for (const byte of part) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] as number);
  return ~crc >>> 0;
}
