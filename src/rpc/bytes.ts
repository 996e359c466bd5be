/** Sizes of messages, and their parts as one. */
import type { BinaryMessage } from "./channel.ts";

/** Characters stand for bytes: nothing is encoded for it, and a limit need not be exact to hold. */
export function messageSize(message: string | BinaryMessage): number {
  return typeof message === "string" ? message.length : message.reduce((size, part) => size + part.length, 0);
}

/** The parts one after the other in new memory. */
export function joined(parts: BinaryMessage): Uint8Array {
  const bytes = new Uint8Array(messageSize(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
