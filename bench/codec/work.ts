/** The bytes that every contender gets, and what has to come out of them. */
import type { PixelLayout } from "../../codec/codec.ts";

export type Format = "lines" | "frames";

export interface StreamWork {
  readonly kind: "split" | "parse" | "attachment";
  readonly name: string;
  readonly format: Format;
  readonly chunks: readonly Uint8Array[];
  /** The bodies alone, for the limit. */
  readonly bodies: readonly Uint8Array[];
  readonly bytes: number;
}

export interface PixelWork {
  readonly kind: "pixels";
  readonly name: string;
  readonly source: Uint8Array;
  readonly layout: PixelLayout;
  readonly bytes: number;
}

export type Work = StreamWork | PixelWork;

/** A work that is not made yet. */
export interface Plan {
  readonly name: string;
  readonly kind: Work["kind"];
  readonly format: Format | undefined;
  make(): Work;
}

const CHUNK_BYTES = 64 * 1024;
const encoder = new TextEncoder();

const SIZES = { "100 B": 100, "200 B": 200, "1 KB": 1000, "10 KB": 10_000, "1 MB": 1_000_000 } as const;

const SCREENS: readonly (readonly [name: string, layout: PixelLayout])[] = [
  ["pixels 1920 x 1080, bgra", { width: 1920, height: 1080, stride: 1920 * 4, format: "bgra" }],
  ["pixels 3840 x 2160, bgrx with stride", { width: 3840, height: 2160, stride: 3840 * 4 + 64, format: "bgrx" }],
];

/** Each stream is about `streamBytes` long, and holds two messages at least. */
export function allWork(streamBytes = 1024 * 1024): Plan[] {
  const plans: Plan[] = [];
  const plan = (kind: Work["kind"], name: string, format: Format | undefined, make: () => Work): void => {
    plans.push({ kind, name, format, make });
  };
  for (const format of ["lines", "frames"] as const) {
    const add = (kind: "split" | "parse", name: string, make: () => readonly string[], chunkBytes?: number): void =>
      plan(kind, name, format, () => stream(kind, name, format, make(), chunkBytes));
    for (const size of ["100 B", "200 B", "1 KB", "10 KB"] as const) {
      add("split", `split ${format} of ${size}`, () => texts(SIZES[size], streamBytes), CHUNK_BYTES);
    }
    for (const size of ["100 B", "1 KB", "10 KB", "1 MB"] as const) {
      add("parse", `${format} of ${size}`, () => texts(SIZES[size], streamBytes), CHUNK_BYTES);
    }
    for (const size of ["200 B", "10 KB"] as const) {
      const make = (): string[] => texts(SIZES[size], streamBytes, "größe 漢字 🙂, ");
      add("parse", `${format} of ${size}, multi-byte`, make, CHUNK_BYTES);
    }
    add("parse", `${format} of 20 B to 20 KB, random cuts`, () => mixedTexts(streamBytes));
  }
  for (const size of [8_000_000, 33_177_624]) {
    const name = `attachments of ${Math.round(size / 1e6)} MB`;
    plan("attachment", name, "frames", () => attachments(name, size));
  }
  for (const [name, layout] of SCREENS) {
    plan("pixels", name, undefined, () => {
      const bytes = layout.width * layout.height * 4;
      return { kind: "pixels", name, layout, source: noise(layout.stride * layout.height), bytes };
    });
  }
  return plans;
}

/** Answers of a tool: text with line ends and quotes in it, in pieces of a few hundred characters. */
function texts(size: number, streamBytes: number, filler = 'a line with "quotes" and some words, '): string[] {
  const count = Math.max(2, Math.floor(streamBytes / size));
  return Array.from({ length: count }, (_, id) => textOf(id, size, filler));
}

function textOf(id: number, size: number, filler: string): string {
  const perFiller = encoder.encode(JSON.stringify(filler)).length - 2;
  const content: { type: string; text: string }[] = [];
  const message = { jsonrpc: "2.0", id, result: { content, isError: false } };
  for (let left = size - encoder.encode(JSON.stringify(message)).length - 26; left > 0; left -= 26) {
    const repeat = Math.max(1, Math.min(8, Math.floor(left / perFiller)));
    const text = left < perFiller ? "x".repeat(left) : `${filler.repeat(repeat)}\n`;
    content.push({ type: "text", text });
    left -= repeat * perFiller + 3;
  }
  return JSON.stringify(message);
}

function mixedTexts(streamBytes: number): string[] {
  const random = randomNumbers();
  const mixed: string[] = [];
  for (let bytes = 0; bytes < streamBytes; ) {
    const text = textOf(mixed.length, 20 * 10 ** (random() * 3), random() < 0.1 ? "größe, " : "plain words, ");
    mixed.push(text);
    bytes += text.length;
  }
  return mixed;
}

function stream(
  kind: "split" | "parse",
  name: string,
  format: Format,
  messages: readonly string[],
  chunkBytes: number | undefined,
): StreamWork {
  const bodies = messages.map((text) => encoder.encode(text));
  const bytes = joined(format, bodies, 0);
  const chunks = kind === "split" ? wholeChunks(format, bodies) : cut(bytes, chunkBytes);
  return { kind, name, format, chunks, bodies, bytes: bytes.length };
}

/** Chunks of up to 64 KiB that hold whole messages: splitting alone has no place for what is left of one. */
function wholeChunks(format: Format, bodies: readonly Uint8Array[]): Uint8Array[] {
  const perChunk = Math.floor(CHUNK_BYTES / (bodies[0]!.length + 5));
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bodies.length; at += perChunk) chunks.push(joined(format, bodies.slice(at, at + perChunk), 0));
  return chunks;
}

function attachments(name: string, size: number): StreamWork {
  const bodies = [noise(size)];
  const bytes = joined("frames", bodies, 1);
  return { kind: "attachment", name, format: "frames", chunks: cut(bytes, CHUNK_BYTES), bodies, bytes: bytes.length };
}

function joined(format: Format, bodies: readonly Uint8Array[], kind: number): Uint8Array {
  const around = format === "lines" ? 1 : 5;
  const bytes = new Uint8Array(bodies.reduce((sum, body) => sum + body.length + around, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const body of bodies) {
    if (format === "frames") {
      view.setUint32(at, body.length + 1);
      view.setUint8(at + 4, kind);
      at += 5;
    }
    bytes.set(body, at);
    at += body.length;
    if (format === "lines") bytes[at++] = 0x0a;
  }
  return bytes;
}

/** Each chunk has memory of its own, as when it comes from a socket. Without a size the cuts are random. */
function cut(bytes: Uint8Array, chunkBytes: number | undefined): Uint8Array[] {
  const random = randomNumbers();
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = chunkBytes ?? Math.ceil(10 ** (1 + random() * 3.8));
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}

function noise(bytes: number): Uint8Array {
  const random = randomNumbers();
  const noisy = new Uint8Array(bytes);
  const seed = Math.min(bytes, 65_537);
  for (let index = 0; index < seed; index++) noisy[index] = random() * 256;
  for (let filled = seed; filled < bytes; filled *= 2) noisy.copyWithin(filled, 0, filled);
  return noisy;
}

/** From 0 to below 1, the same ones every time. */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
