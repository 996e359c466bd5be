/** Why a request came to nothing, in words. */
import { ExtensionError } from "./errors.ts";
import { shortened } from "./excerpt.ts";

interface Asked {
  /** 0 for one that was not sent. */
  readonly id: number;
  readonly method: string;
  readonly timeoutMs: number;
}

/** `unfinished`: what may have been the answer, had its end come. */
export function lateError({ id, method, timeoutMs }: Asked, unfinished: string | undefined): ExtensionError {
  const why = id === 0 ? "it was not sent: the other side does not read or answer" : "it was sent";
  const rest = unfinished === undefined ? "" : `; ${unfinished}`;
  return new ExtensionError("timeout", `no answer to ${method} within ${timeoutMs} ms (${why})${rest}`);
}

/** Why an answer that came is none. */
export function badAnswer(method: string, result: unknown, error: unknown): ExtensionError {
  const what =
    result === undefined && error === undefined
      ? "neither a result nor an error"
      : result !== undefined
        ? "both a result and an error"
        : `an error that is not a {code, message} object: ${shortened(JSON.stringify(error), 200)}`;
  return new ExtensionError("protocol", `the answer to ${method} has ${what}`);
}
