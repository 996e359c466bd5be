/** Errors as a person reads them: what happened, where, and the extension's last words. */
import { ExtensionError, RpcError } from "../rpc/errors.ts";
import { ReportedError, UsageError } from "./errors.ts";
import { printable } from "./printable.ts";
import type { Style } from "./style.ts";

/** One message, without a stack trace unless the fault is in this program. */
export function describeError(error: unknown, style: Style): string {
  if (error instanceof ReportedError) return "";
  const head = style.red("extwire:");
  if (error instanceof UsageError) return `${head} ${printable(error.message)}`;
  if (error instanceof RpcError) {
    const data = error.data === undefined ? "" : `\n  ${style.dim(printable(JSON.stringify(error.data)))}`;
    return `${head} the extension answered with error ${error.code}: ${printable(error.message)}${data}`;
  }
  if (error instanceof ExtensionError) return `${head} ${printable(error.message)}${lastWords(error, style)}`;
  if (error instanceof Error) return `${head} unexpected: ${error.stack ?? error.message}`;
  return `${head} unexpected: ${String(error)}`;
}

function lastWords(error: ExtensionError, style: Style): string {
  const lines = printable(error.stderr ?? "")
    .trimEnd()
    .split("\n");
  const last = lines.at(-1)?.trim() ?? "";
  // Most messages end with them already, and each holds what is nothing.
  if (error.message.includes(last)) return "";
  return `\n${style.dim("it wrote to stderr:")}\n${lines.map((line) => `${style.dim("  │")} ${line}`).join("\n")}`;
}

/** The same for programs. */
export function errorValue(error: unknown): Record<string, unknown> {
  if (error instanceof RpcError) return { code: error.code, message: error.message, data: error.data };
  if (error instanceof ExtensionError) {
    const { code, message, extension, stderr, exitCode, signal } = error;
    return { code, message, extension, stderr, exitCode, signal };
  }
  return {
    code: error instanceof UsageError ? "usage" : "unexpected",
    message: (error as Error)?.message,
  };
}
