import type { Stream } from "./generate.ts";

/** How many bytes of candidates are tried: some tens of seconds for the codecs. */
const BUDGET_BYTES = 100_000_000;

/**
 * The smallest stream found by leaving out cuts and bytes, and by making bytes plain, that still fails. Each change goes on
 * from where the last one was kept, large pieces first.
 */
export function shrink(stream: Stream, fails: (stream: Stream) => boolean): Stream {
  let best = stream;
  let budget = BUDGET_BYTES;
  let improved = true;
  const keep = (candidate: Stream): boolean => {
    budget -= candidate.bytes.length;
    if (budget < 0 || !fails(candidate)) return false;
    best = candidate;
    improved = true;
    return true;
  };
  while (improved && budget > 0) {
    improved = false;
    if (best.cuts.length > 0) keep({ ...best, cuts: [] });
    for (let size = best.bytes.length >> 1; size > 0; size >>= 1) {
      for (let from = 0; from + size <= best.bytes.length && budget > 0; )
        if (!keep(without(best, from, size))) from += size;
    }
    for (let index = 0; index < best.cuts.length && budget > 0; )
      if (!keep({ ...best, cuts: best.cuts.toSpliced(index, 1) })) index++;
    for (let at = 0; at < best.bytes.length && budget > 0; at++)
      if (best.bytes[at] !== 0x61) keep({ ...best, bytes: best.bytes.with(at, 0x61) });
  }
  return best;
}

function without(stream: Stream, from: number, size: number): Stream {
  const bytes = new Uint8Array(stream.bytes.length - size);
  bytes.set(stream.bytes.subarray(0, from));
  bytes.set(stream.bytes.subarray(from + size), from);
  const cuts = stream.cuts.map((cut) => (cut <= from ? cut : Math.max(from, cut - size)));
  return { ...stream, bytes, cuts };
}
