/** The local time of day, `12:03:46`; `12:03:46.042` where what follows on what is asked. */
export function clockTime(withMs: boolean): string {
  const now = new Date();
  const seconds = now.toTimeString().slice(0, 8);
  return withMs ? `${seconds}.${String(now.getMilliseconds()).padStart(3, "0")}` : seconds;
}
