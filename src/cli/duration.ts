/** Durations as people type them: `30s`, `500ms`, `2m`, `1h`; a bare number counts seconds. */
import { LONGEST_MS } from "../rpc/within.ts";
import { UsageError } from "./errors.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds. Throws a UsageError that says what a duration looks like. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  const ms = match === null ? Number.NaN : Number(match[1]) * UNITS[match[2] ?? "s"]!;
  if (Number.isNaN(ms)) throw new UsageError(`"${text}" is not a duration; write 30s, 500ms or 2m`);
  if (ms < 1 || ms > LONGEST_MS) throw new UsageError(`a duration is between 1ms and 596h, not ${text}`);
  return Math.round(ms);
}

/** For people: `340 ms`, `1.9 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  // Rounded before it is cut into units: nothing takes `1000 ms`, `60.0 s` or `1 min 60 s`.
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
