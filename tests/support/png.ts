/** PNG files of every kind, made by hand. */
import { crc32, deflateSync } from "node:zlib";

export interface PngParts {
  readonly width: number;
  readonly height: number;
  /** Colour type, and samples a pixel that go with it. */
  readonly type: number;
  readonly samples: number;
  /** Samples without filter bytes. */
  readonly raw: readonly number[];
  readonly filter: number;
  readonly palette?: readonly number[];
  readonly alpha?: readonly number[];
  /** Instead of `raw`: compressed data as it is. */
  readonly data?: Uint8Array;
  /** What goes over the end of the header, or cuts it: depth, type, compression, filter, interlace. */
  readonly rest?: readonly number[];
}

export function makePng(parts: PngParts): Uint8Array {
  const { width, height, type, samples, raw, filter, palette, alpha, data, rest = [8, type, 0, 0, 0] } = parts;
  const header = Buffer.alloc(8 + rest.length);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(rest, 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    ...(palette ? [chunk("PLTE", Buffer.from(palette))] : []),
    ...(alpha ? [chunk("tRNS", Buffer.from(alpha))] : []),
    chunk("IDAT", data ?? deflateSync(filtered(width * samples, samples, raw, filter))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function filtered(row: number, samples: number, raw: readonly number[], filter: number): Uint8Array {
  const out: number[] = [];
  for (let start = 0; start < raw.length; start += row) {
    out.push(filter);
    for (let i = 0; i < row; i++) {
      const left = i < samples ? 0 : raw[start + i - samples]!;
      const up = start === 0 ? 0 : raw[start + i - row]!;
      const corner = start === 0 || i < samples ? 0 : raw[start + i - row - samples]!;
      const near = [left, up, corner].reduce((best, each) =>
        Math.abs(left + up - corner - each) < Math.abs(left + up - corner - best) ? each : best,
      );
      const guess = [0, left, up, (left + up) >> 1, near][filter]!;
      out.push((raw[start + i]! - guess) & 255);
    }
  }
  return Uint8Array.from(out);
}

function chunk(type: string, body: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(12 + body.length);
  bytes.writeUInt32BE(body.length, 0);
  bytes.write(type, 4, "latin1");
  bytes.set(body, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + body.length)), 8 + body.length);
  return bytes;
}
