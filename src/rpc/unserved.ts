/** What the other side asked or told that is not served here, as whoever looks for its fault reads it. */
import type { Diagnostic } from "./channel.ts";
import { ErrorCode, RpcError } from "./errors.ts";
import { excerpt, shortened } from "./excerpt.ts";

/** Whoever asks has made a mistake: -32600 to -32602. What fails on this side is not its fault. */
function isMistake(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code <= ErrorCode.invalidRequest && error.code >= ErrorCode.invalidParams;
}

/** Throws `error`, for a request to be answered with it. `tell` hears of a mistake too: whoever made it may not look at its answers. */
export function refuse(method: string, error: unknown, tell: (diagnostic: Diagnostic) => void): never {
  if (isMistake(error)) {
    const why = `the error ${error.code}: ${shortened(error.message, 500)}`;
    tell({ code: "refused-request", message: `its request ${excerpt(method)} was answered with ${why}` });
  }
  throw error;
}

export function unknownNotification(method: string): Diagnostic {
  return { code: "unknown-notification", message: `unknown notification ${excerpt(method)}` };
}
