import type { Stream } from "./generate.ts";

/** The smallest stream found by leaving out cuts and bytes, and by making bytes plain, that still fails. */
export function shrink(stream: Stream, fails: (stream: Stream) => boolean): Stream {
  let best = stream;
  for (let improved = true; improved; ) {
    improved = false;
    for (const candidate of smaller(best)) {
      if (!fails(candidate)) continue;
      best = candidate;
      improved = true;
      break;
    }
  }
  return best;
}

function* smaller(stream: Stream): Generator<Stream> {
  const { bytes, cuts } = stream;
  if (cuts.length > 0) yield { ...stream, cuts: [] };
  for (let index = 0; index < cuts.length; index++) yield { ...stream, cuts: cuts.toSpliced(index, 1) };
  for (let size = bytes.length >> 1; size > 0; size >>= 1) {
    for (let from = 0; from + size <= bytes.length; from += size) yield without(stream, from, size);
  }
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0x61) yield { ...stream, bytes: bytes.with(at, 0x61) };
  }
}

function without(stream: Stream, from: number, size: number): Stream {
  const bytes = new Uint8Array([...stream.bytes.subarray(0, from), ...stream.bytes.subarray(from + size)]);
  const cuts = stream.cuts.map((cut) => (cut <= from ? cut : Math.max(from, cut - size)));
  return { ...stream, bytes, cuts };
}
