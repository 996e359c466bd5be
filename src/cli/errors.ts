/** Errors of the command line itself. */
import { notPermitted } from "../adapters/deno_permission.ts";

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
  /** Default: that of an error that was answered. */
  readonly exitCode: number | undefined;

  constructor(message: string, exitCode?: number) {
    super(message);
    this.exitCode = exitCode;
  }
}
