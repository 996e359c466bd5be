/** What the executable's exit code says, the same for every command. */
import { notPermitted } from "../adapters/deno_permission.ts";
import { ExtensionError } from "../rpc/errors.ts";

export const ExitCode = {
  done: 0,
  /** The tool or the extension answered with an error. */
  error: 1,
  /** Wrong usage: arguments, manifest, tool name, input. */
  usage: 2,
  /** The extension could not be started. */
  notStarted: 3,
  timeout: 4,
  /** 128 and the signal's number, as shells count. */
  interrupted: 130,
} as const;

/** Something the person at the keyboard can put right by typing something else. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What a command threw, as one of usage where it is Deno's for what it was not allowed to do. */
export function asUsageError(error: unknown): unknown {
  const refusal = notPermitted(error);
  return refusal === undefined ? error : new UsageError(refusal);
}

/** What went wrong is printed already: a tool's own text, an extension's last events. */
export class ReportedError extends Error {
  override readonly name = "ReportedError";
  readonly exitCode: number;

  constructor(message: string, exitCode: number = ExitCode.error) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code that tells what `error` was. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return ExitCode.usage;
  if (error instanceof ReportedError) return error.exitCode;
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
