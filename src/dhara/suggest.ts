/** "Did you mean": the known name nearest to one that is not known. */
import { shortened } from "../rpc/excerpt.ts";

/**
 * Returns the name in `known` that is most similar to `name`, for a "did you mean" in an error; undefined if none is similar.
 *
 * @example
 * ```ts
 * import { nearest } from "extwire";
 * console.log(nearest("fetchurl", ["fetch_url", "screenshot"])); // fetch_url
 * ```
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  // A long name is no typing slip, and the comparison is quadratic.
  if (name.length > 100) return undefined;
  let best: string | undefined;
  // Where every letter would have to change, nothing is near.
  let least = Math.min(name.length, Math.max(2, Math.ceil(name.length / 3)) + 1);
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const steps = distance(name.toLowerCase(), candidate.toLowerCase());
    if (steps < least) {
      least = steps;
      best = candidate;
    }
  }
  return best;
}

/** `Unknown tool 'x'`, with what was probably meant. */
export function unknownName(what: string, name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  const head = `Unknown ${what} '${shortened(name)}'`;
  return meant === undefined ? head : `${head}. Did you mean '${meant}'?`;
}

/** Letters to insert, delete or replace to come from `a` to `b` (Levenshtein). */
function distance(a: string, b: string): number {
  let row = [...Array(b.length + 1).keys()];
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      next.push(Math.min(row[j]! + (a[i] === b[j] ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
