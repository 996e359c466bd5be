/** What is measured. A contender that has no answer to a work gives undefined. */
import type { Codec, Decoder } from "../../codec/codec.ts";
import { loadCodec } from "../../codec/load.ts";
import { scalarCodec } from "../../codec/scalar.ts";
import type { Output, Pass } from "./output.ts";
import { frameStream, itLengthPrefixed, itNdjson, split2 } from "./peers.ts";
import { splitByTable, splitPlainly } from "./split.ts";
import type { Plan, StreamWork, Work } from "./work.ts";

export type Contender = (work: Work, output: Output) => Pass | undefined;

/** Which works a package has an answer to. The first three have one to all, but the limit of splitting is nothing. */
export function answers(name: string, { kind, format }: Plan): boolean {
  if (name === "ours" || name === "scalar") return true;
  if (name === "limit") return kind !== "split";
  if (name === "split2" || name === "it-ndjson") return kind === "parse" && format === "lines";
  return (kind === "parse" || kind === "attachment") && format === "frames";
}

export const CONTENDERS: Readonly<Record<string, Contender>> = {
  ours: (work, output) =>
    work.kind === "split" ? splitByTable(work, output) : byCodec(loadCodec().codec, work, output),
  limit,
  scalar: (work, output) => (work.kind === "split" ? splitPlainly(work, output) : byCodec(scalarCodec, work, output)),
  split2,
  "it-ndjson": itNdjson,
  "frame-stream": frameStream,
  "it-length-prefixed": itLengthPrefixed,
};

function byCodec(codec: Codec, work: Work, output: Output): Pass {
  if (work.kind === "pixels") {
    const target = new Uint8Array(work.bytes);
    return () => output.bytes(codec.pixels(work.source, work.layout, target));
  }
  const decoder: Decoder = codec[work.format as "lines" | "frames"]({
    text: (text) => output.message(JSON.parse(text)),
    attachment(body) {
      output.bytes(body);
      decoder.recycle(body);
    },
    notice: ({ message }) => {
      throw new Error(message);
    },
    fail: (error) => {
      throw error;
    },
  });
  return () => {
    for (const chunk of (work as StreamWork).chunks) decoder.push(chunk);
  };
}

/**
 * The floor: the messages lie apart already and are only decoded and parsed, the bytes are only copied.
 * Pixels come out as they are, so its answer to them is not compared.
 */
function limit(work: Work, output: Output): Pass | undefined {
  if (work.kind === "split") return undefined;
  const target = new Uint8Array(work.bytes);
  if (work.kind === "pixels") {
    const pixels = work.source.subarray(0, work.bytes);
    return () => {
      target.set(pixels);
      output.bytes(target);
    };
  }
  if (work.kind === "attachment") {
    const body = target.subarray(5);
    return () => {
      let at = 0;
      for (const chunk of work.chunks) {
        target.set(chunk, at);
        at += chunk.length;
      }
      output.bytes(body);
    };
  }
  const decoder = new TextDecoder();
  return () => {
    for (const body of work.bodies) output.message(JSON.parse(decoder.decode(body)));
  };
}
