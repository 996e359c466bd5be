/** A PNG of a picture, with nothing but web standards. */

export interface PngOptions {
  /** Compresses to the zlib format. Default: the standard CompressionStream; `deflateSync` of node:zlib works too. */
  readonly deflate?: ((bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>) | undefined;
}

/** RGBA, 8 bits a channel. */
const COLOUR_TYPE = 6;
const PIXEL_BYTES = 4;
/** Each row as its difference to the row above: screens have many rows alike, and they become zeros. */
const UP_FILTER = 2;
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Length, type and checksum of a chunk. */
const CHUNK_BYTES = 12;

/**
 * Encodes tight RGBA, `width * height * 4` bytes. Throws RangeError for a size PNG has no form for, or too few bytes.
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
      `a PNG can't be made: ${width} x ${height} pixels are ${needed} bytes, and there are ${rgba.length}`,
    );
  }
  const data = await (options.deflate ?? deflate)(filtered(width, height, rgba));
  const png = new Uint8Array(SIGNATURE.length + (CHUNK_BYTES + 13) + (CHUNK_BYTES + data.length) + CHUNK_BYTES);
  png.set(SIGNATURE);
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, COLOUR_TYPE], 8);
  let at = writeChunk(png, SIGNATURE.length, "IHDR", header);
  at = writeChunk(png, at, "IDAT", data);
  writeChunk(png, at, "IEND", new Uint8Array(0));
  return png;
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

/** Writes one chunk and returns where the next one starts. */
function writeChunk(png: Uint8Array, at: number, type: string, data: Uint8Array): number {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  view.setUint32(at, data.length);
  for (let i = 0; i < 4; i++) png[at + 4 + i] = type.charCodeAt(i);
  png.set(data, at + 8);
  const end = at + 8 + data.length;
  view.setUint32(end, crc32(png.subarray(at + 4, end)));
  return end + 4;
}

let table: Int32Array | undefined;

function crc32(bytes: Uint8Array): number {
  table ??= Int32Array.from({ length: 256 }, (_, n) => {
    for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
  });
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] as number);
  return ~crc >>> 0;
}
