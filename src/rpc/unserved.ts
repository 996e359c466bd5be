/** What the other side asked or told that is not served here, as whoever looks for its fault reads it. */
import type { Diagnostic } from "./channel.ts";
import { ErrorCode, RpcError } from "./errors.ts";
import { excerpt, shortened } from "./excerpt.ts";

/** The mistakes of whoever asks; what fails on this side is not its fault. */
const MISTAKES: readonly number[] = [ErrorCode.invalidRequest, ErrorCode.methodNotFound, ErrorCode.invalidParams];

export function isRefusal(error: unknown): error is RpcError {
  return error instanceof RpcError && MISTAKES.includes(error.code);
}

/** A request that was answered with `error`. */
export function refusedRequest(method: string, { code, message }: RpcError): Diagnostic {
  const what = `its request ${excerpt(method)} was answered with the error ${code}: ${shortened(message, 500)}`;
  return { code: "refused-request", message: what };
}

export function unknownNotification(method: string): Diagnostic {
  return { code: "unknown-notification", message: `the notification ${excerpt(method)} is not known here` };
}
