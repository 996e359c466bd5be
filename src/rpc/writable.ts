/** Whether a message can be sent, asked before it is queued: the other side would end the connection for it. */
import { isLonger, messageSize } from "./bytes.ts";
import type { BinaryMessage, Channel } from "./channel.ts";
import { depthFault } from "./depth.ts";
import { ExtensionError } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { jsonFault } from "./message.ts";
import { asError } from "./thrown.ts";

/** Throws an ExtensionError `limit` for a text that the other side would have to refuse. */
export function checkWritable(text: string, limits: Limits, { overheadBytes }: Channel): void {
  if (isLonger(text, limits.maxMessageBytes - overheadBytes)) {
    throw new ExtensionError("limit", `it exceeds maxMessageBytes (${limits.maxMessageBytes} bytes)`);
  }
  const fault = depthFault(text, limits.maxDepth);
  if (fault !== undefined) throw new ExtensionError("limit", fault);
}

/** The same for a binary message. */
export function checkBinary(message: BinaryMessage, what: string, limits: Limits, { overheadBytes }: Channel): void {
  const size = messageSize(message) + overheadBytes;
  if (size <= limits.maxMessageBytes) return;
  const why = `${what} can't be sent: its ${size} bytes exceed maxMessageBytes (${limits.maxMessageBytes} bytes)`;
  throw new ExtensionError("limit", why);
}

/** The error for a value that can't be sent. */
export function unsendable(what: string, cause: unknown): ExtensionError {
  const error = asError(cause);
  const code = error instanceof ExtensionError ? error.code : "not-serializable";
  return new ExtensionError(code, `${what} can't be sent as JSON: ${jsonFault(error)}`, { cause });
}
