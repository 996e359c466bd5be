import type { Random } from "../random.ts";
import type { Format } from "./record.ts";

export interface Stream {
  readonly format: Format;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly cuts: readonly number[];
  readonly limit: number;
}

const encoder = new TextEncoder();
const TEXTS = [
  "{}",
  '{"a":1}',
  "é",
  "—",
  "😀",
  "漢字",
  "\u2028",
  "\u2029",
  "\u0085",
  "\r",
  "\ufeff",
  "\0",
  "~".repeat(40),
  "\t",
  " ",
  "x",
];
/** A lone 0x97 (A14), a cut sequence, an overlong one, a surrogate, a byte that never occurs. */
const BROKEN = [[0x97], [0xe6, 0xbc], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xff], [0xf0, 0x9f, 0x98]];
const BOM = [0xef, 0xbb, 0xbf];

/** A stream of mostly good messages, some odd ones, cut anywhere; one in four is damaged afterwards. */
export function randomStream(random: Random): Stream {
  const format = random.pick(["lines", "frames"] as const);
  const limit = random.pick([1, 5, 30, 100, 1000, 65536]);
  const bytes: number[] = [];
  for (let left = random.int(12); left > 0; left--) (format === "lines" ? addLine : addFrame)(random, bytes, limit);
  if (random.chance(4)) mutate(random, bytes);
  return { format, bytes: Uint8Array.from(bytes), cuts: randomCuts(random, bytes.length), limit };
}

/** A stream of many blocks of the module: runs of tiny messages that fill its table, long ones that no block holds. */
export function randomLargeStream(random: Random): Stream {
  const format = random.pick(["lines", "frames"] as const);
  const limit = 65536;
  const bytes: number[] = [];
  while (bytes.length < 150_000) {
    const count = random.pick([1, 10, 300, 3000]);
    const base = random.pick(count > 100 ? [0, 1, 30] : [100, 900, 2000, 15_000, 40_000]);
    const size = base + random.int(1 + (base >> 2));
    const odd = random.chance(3);
    for (let left = count; left > 0 && bytes.length < 150_000; left--) {
      if (odd && random.chance(50)) {
        (format === "lines" ? addLine : addFrame)(random, bytes, limit);
        continue;
      }
      const body = size > 500 && odd ? longBody(random, size) : Array<number>(size).fill(0x61);
      if (format === "lines") bytes.push(...body, 0x0a);
      else pushFrame(bytes, random.chance(200) ? 1 : 0, body);
    }
  }
  const size = random.pick([1000, 16_384, 16_385, 65_536, 70_001]);
  const uneven = random.chance(2);
  const cuts: number[] = [];
  for (let at = size; at < bytes.length; at += uneven ? 1 + random.int(size) : size) cuts.push(at);
  return { format, bytes: Uint8Array.from(bytes), cuts, limit };
}

function longBody(random: Random, size: number): number[] {
  const body: number[] = [];
  const text = encoder.encode(random.pick(TEXTS.slice(0, 8)));
  while (body.length < size) body.push(...text);
  return body;
}

function randomCuts(random: Random, length: number): number[] {
  if (length === 0 || random.chance(5)) return [];
  if (random.chance(10)) return Array.from({ length: length - 1 }, (_, index) => index + 1);
  return Array.from({ length: random.int(8) }, () => random.int(length + 1)).sort((a, b) => a - b);
}

function randomBody(random: Random, limit: number): number[] {
  const body: number[] = [];
  const ascii = random.chance(2);
  for (let left = random.int(8); left > 0; left--)
    body.push(...encoder.encode(ascii ? random.pick(TEXTS.slice(0, 2)) : random.pick(TEXTS)));
  if (random.chance(40)) body.push(...random.pick(BROKEN));
  // Mostly within the limit, and often exactly at it.
  if (limit < 1000 && random.chance(3)) while (body.length < limit) body.push(0x61);
  return random.chance(10) ? body : body.slice(0, limit);
}

function addLine(random: Random, bytes: number[], limit: number): void {
  if (random.chance(6)) bytes.push(...BOM);
  if (random.chance(6)) bytes.push(...random.pick([[], [0x20], [0x20, 0x09], [0x0d], BOM]));
  else bytes.push(...randomBody(random, limit));
  bytes.push(...random.pick([[0x0a], [0x0a], [0x0d, 0x0a], [0x0d, 0x0d, 0x0a], random.chance(4) ? [] : [0x0a]]));
}

function addFrame(random: Random, bytes: number[], limit: number): void {
  if (random.chance(60)) bytes.push(...hostileLength(random));
  const body = randomBody(random, Math.max(0, limit - 1));
  pushFrame(bytes, random.pick([0, 0, 0, 1, 1, random.int(256)]), body);
}

function pushFrame(bytes: number[], kind: number, body: readonly number[]): void {
  const length = body.length + 1;
  bytes.push(length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff, kind, ...body);
}

function hostileLength(random: Random): number[] {
  return [
    ...random.pick([
      [0, 0, 0, 0],
      [0x80, 0, 0, 0],
      [0xff, 0xff, 0xff, 0xff],
      [0x7f, 0xff, 0xff, 0xff],
      [0, 1, 0, 0],
      encoder.encode("GET "),
    ]),
  ];
}

function mutate(random: Random, bytes: number[]): void {
  for (let left = 1 + random.int(3); left > 0 && bytes.length > 0; left--) {
    const at = random.int(bytes.length);
    const change = random.int(5);
    if (change === 0) bytes[at] = random.int(256);
    else if (change === 1) bytes[at] = (bytes[at] as number) ^ (1 << random.int(8));
    else if (change === 2) bytes.splice(at, 1 + random.int(4));
    else if (change === 3) bytes.splice(at, 0, ...bytes.slice(at, at + random.int(9)));
    else bytes.length = at;
  }
}
