/** `s` to the second; `ms` where what follows on what is asked. */
export type ClockPrecision = "s" | "ms";

/** The local time of day, `12:03:46` or `12:03:46.042`. */
export function clockTime(precision: ClockPrecision): string {
  const now = new Date();
  const seconds = now.toTimeString().slice(0, 8);
  return precision === "s" ? seconds : `${seconds}.${String(now.getMilliseconds()).padStart(3, "0")}`;
}
