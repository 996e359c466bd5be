/** Packages that cut streams into lines or frames. They get chunks as a stream or an iterable, in their own best way. */
import { once } from "node:events";
import { Readable } from "node:stream";
import { decode as decodeFrameStream } from "frame-stream";
import { decode as decodeLengthPrefixed, type LengthDecoderFunction } from "it-length-prefixed";
import { parse as parseNdjson } from "it-ndjson";
import splitLines from "split2";
import type { Output, Pass } from "./output.ts";
import type { StreamWork, Work } from "./work.ts";

const MOST_JOINED_BYTES = 10_000_000;

function parsed(work: Work): work is StreamWork {
  return work.kind === "parse";
}

export function split2(work: Work, output: Output): Pass | undefined {
  if (!parsed(work) || work.format !== "lines") return undefined;
  return async () => {
    const splitter = splitLines(JSON.parse);
    splitter.on("data", (value) => output.message(value));
    Readable.from(buffers(work)).pipe(splitter);
    await once(splitter, "end");
  };
}

export function itNdjson(work: Work, output: Output): Pass | undefined {
  if (!parsed(work) || work.format !== "lines") return undefined;
  return async () => {
    for await (const value of parseNdjson(asyncChunks(work))) output.message(value);
  };
}

export function frameStream(work: Work, output: Output): Pass | undefined {
  if (work.kind === "split" || work.kind === "pixels" || work.format !== "frames") return undefined;
  // It joins its buffer anew for every chunk: 33 MB take it seconds.
  if (work.bytes > MOST_JOINED_BYTES) return undefined;
  return async () => {
    const frames = decodeFrameStream({ readableObjectMode: true } as object);
    frames.on("data", (frame: Buffer) => {
      if (frame[0] === 0) output.message(JSON.parse(frame.toString("utf8", 1)));
      else output.bytes(frame.subarray(1));
    });
    Readable.from(buffers(work)).pipe(frames);
    await once(frames, "end");
  };
}

export function itLengthPrefixed(work: Work, output: Output): Pass | undefined {
  if (work.kind === "split" || work.kind === "pixels" || work.format !== "frames") return undefined;
  const decoder = new TextDecoder();
  const lengthDecoder: LengthDecoderFunction = Object.assign(
    (bytes: Uint8Array | { getUint32(at: number, little: boolean): number }) => {
      if (bytes instanceof Uint8Array) return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
      return bytes.getUint32(0, false);
    },
    { bytes: 4 },
  );
  return () => {
    for (const frame of decodeLengthPrefixed(work.chunks, { lengthDecoder, maxDataLength: 2 ** 31 })) {
      const bytes = frame.subarray();
      if (bytes[0] === 0) output.message(JSON.parse(decoder.decode(bytes.subarray(1))));
      else output.bytes(bytes.subarray(1));
    }
  };
}

/** As sockets of node:net give them. */
function buffers({ chunks }: StreamWork): Buffer[] {
  return chunks.map((chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
}

async function* asyncChunks({ chunks }: StreamWork): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
