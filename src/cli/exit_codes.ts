/** What the executable's exit code says, the same for every command. One that was interrupted has a code of its own, see interruption.ts. */
import { ExtensionError } from "../rpc/errors.ts";
import { ReportedError, UsageError } from "./errors.ts";

export const ExitCode = {
  done: 0,
  /** The tool or the extension answered with an error. */
  error: 1,
  /** Wrong usage: arguments, manifest, tool name, input. */
  usage: 2,
  /** The extension could not be started. */
  notStarted: 3,
  timeout: 4,
} as const;

/** The exit code that tells what `error` was. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return ExitCode.usage;
  if (error instanceof ReportedError) return error.exitCode ?? ExitCode.error;
  if (!(error instanceof ExtensionError)) return ExitCode.error;
  switch (error.code) {
    case "unknown-tool":
    case "bad-manifest":
      return ExitCode.usage;
    case "start-failed":
    case "handshake-failed":
    case "failed":
      return ExitCode.notStarted;
    case "timeout":
      return ExitCode.timeout;
    case "exited":
    case "limit":
    case "protocol":
    case "closed":
    case "disconnected":
    case "bad-schema":
    case "not-serializable":
      return ExitCode.error;
  }
}
