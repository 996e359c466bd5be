/** How a process ended, in words. */
import type { Exit } from "./platform.ts";

/** `exited with code 1`, `ended by SIGKILL`. */
export function exitText({ code, signal }: Exit): string {
  if (signal !== null) return `ended by ${signal}`;
  return code === null ? "ended" : `exited with code ${code}`;
}

/** The same as what a sentence says of the process: `was ended by SIGKILL`. */
export function howItEnded(exit: Exit): string {
  return exit.signal === null ? exitText(exit) : `was ${exitText(exit)}`;
}
