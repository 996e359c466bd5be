/** What is told when the system refuses to open something. */
import { ExtensionError } from "../rpc/errors.ts";
import { messageOf } from "../rpc/thrown.ts";
import { notPermitted } from "./deno_permission.ts";

const ADVICE =
  "this program has reached its limit of open files, pipes and sockets: close some, or raise the limit with ulimit -n";

/** `what` could not be done. */
export function openFailure(what: string, cause: unknown): ExtensionError {
  return new ExtensionError("start-failed", `${what}: ${openReason(cause)}`, { cause });
}

/** The system's own words, and what to do about them where that is known. */
export function openReason(cause: unknown): string {
  const message = notPermitted(cause) ?? messageOf(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return code === "EMFILE" || code === "ENFILE" ? `${message}; ${ADVICE}` : message;
}
