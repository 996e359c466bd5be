/** PNG to pixels, for showing a tool's picture in half blocks: 8 bits a channel, not interlaced, as nearly all are. */
import { crc32, inflateSync } from "node:zlib";
import { SIGNATURE } from "../mx/png.ts";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Tight RGBA. */
  readonly rgba: Uint8Array;
}

/** Samples per pixel of each colour type; 1 and 5 don't exist. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** A picture of this many pixels is nothing that a terminal shows: it is more likely made to fill memory. */
const MAX_PIXELS = 64 * 1024 * 1024;

/** Undefined when it is no PNG, is damaged, or is of a kind that this does not read. */
export function decodePng(bytes: Uint8Array): Pixels | undefined {
  if (!SIGNATURE.every((byte, i) => bytes[i] === byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Uint8Array[] = [];
  let header: DataView | undefined;
  let palette: Uint8Array | undefined;
  let alpha: Uint8Array | undefined;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    if (at + 12 + length > bytes.length) return undefined;
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== view.getUint32(at + 8 + length)) return undefined;
    if (type === "IHDR" && length === 13) header = new DataView(body.buffer, body.byteOffset, length);
    else if (type === "PLTE") palette = body;
    else if (type === "tRNS") alpha = body;
    else if (type === "IDAT") data.push(body);
    at += 12 + length;
  }
  if (header === undefined) return undefined;
  const width = header.getUint32(0);
  const height = header.getUint32(4);
  const samples = SAMPLES[header.getUint8(9)];
  const plain = header.getUint8(8) === 8 && header.getUint8(12) === 0;
  if (!plain || samples === undefined || width * height === 0 || width * height > MAX_PIXELS) return undefined;
  const size = (width * samples + 1) * height;
  let raw: Uint8Array;
  try {
    raw = inflateSync(Buffer.concat(data), { maxOutputLength: size });
  } catch {
    return undefined;
  }
  if (raw.length !== size || !unfilter(raw, width * samples, samples)) return undefined;
  return { width, height, rgba: toRgba(raw, width, height, header.getUint8(9), samples, palette, alpha) };
}

/** Undoes the filter of each row in place. */
function unfilter(raw: Uint8Array, rowBytes: number, pixelBytes: number): boolean {
  for (let row = 0; row * (rowBytes + 1) < raw.length; row++) {
    const start = row * (rowBytes + 1) + 1;
    const filter = raw[start - 1]!;
    if (filter > 4) return false;
    for (let i = 0; i < rowBytes && filter > 0; i++) {
      const at = start + i;
      const left = i < pixelBytes ? 0 : raw[at - pixelBytes]!;
      const up = row === 0 ? 0 : raw[at - rowBytes - 1]!;
      const corner = row === 0 || i < pixelBytes ? 0 : raw[at - rowBytes - 1 - pixelBytes]!;
      const guess = filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
      raw[at] = raw[at]! + guess;
    }
  }
  return true;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const a = Math.abs(guess - left);
  const b = Math.abs(guess - up);
  const c = Math.abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function toRgba(
  raw: Uint8Array,
  width: number,
  height: number,
  type: number,
  samples: number,
  palette: Uint8Array | undefined,
  alpha: Uint8Array | undefined,
): Uint8Array {
  const rgba = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const row = y * (width * samples + 1) + 1;
    for (let x = 0; x < width; x++) {
      const from = row + x * samples;
      const to = (y * width + x) * 4;
      const first = raw[from]!;
      if (type === 3) {
        for (let i = 0; i < 3; i++) rgba[to + i] = palette?.[first * 3 + i] ?? 0;
        rgba[to + 3] = alpha?.[first] ?? 255;
      } else {
        const grey = type === 0 || type === 4;
        for (let i = 0; i < 3; i++) rgba[to + i] = grey ? first : raw[from + i]!;
        rgba[to + 3] = type === 4 ? raw[from + 1]! : type === 6 ? raw[from + 3]! : 255;
      }
    }
  }
  return rgba;
}
