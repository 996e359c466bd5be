import { nearest } from "../dhara/suggest.ts";

/** What who gave `what` another value than one of `allowed` is told. */
export function notOneOf(what: string, given: string, allowed: readonly string[]): string {
  const choice = `${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1)}`;
  const meant = nearest(given, allowed);
  return `${what} takes ${choice}, not "${given}"${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}
