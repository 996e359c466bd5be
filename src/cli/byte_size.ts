/** Sizes as people type them: `64MiB`, `500kB`, `1.5M`; a bare number counts bytes. */
import { UsageError } from "./errors.ts";

/** A letter alone means the power of two, as it does to most programs. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["b", 1],
  ["kb", 1e3],
  ["mb", 1e6],
  ["gb", 1e9],
  ["k", 2 ** 10],
  ["kib", 2 ** 10],
  ["m", 2 ** 20],
  ["mib", 2 ** 20],
  ["g", 2 ** 30],
  ["gib", 2 ** 30],
]);

/** With less no handshake would pass. */
const LEAST = 2 ** 10;
/** A longer message may be more than a string of the runtime can hold. */
const MOST = 500 * 2 ** 20;

/** Bytes. Throws a UsageError that says what a size looks like. */
export function parseByteSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([a-z]*)$/i.exec(text.trim());
  const unit = UNITS.get(match?.[2]?.toLowerCase() ?? "");
  if (match === null || unit === undefined)
    throw new UsageError(`"${text}" is not a size; write 64MiB, 500kB or 1048576`);
  const bytes = Math.round(Number(match[1]) * unit);
  if (bytes < LEAST || bytes > MOST) throw new UsageError(`a size is between 1KiB and 500MiB, not ${text}`);
  return bytes;
}
