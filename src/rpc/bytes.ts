/** Sizes of messages, and their parts as one. */
import type { BinaryMessage } from "./channel.ts";

/** Characters stand for bytes: nothing is encoded for it, and the limits of queues need not be exact to hold. */
export function messageSize(message: string | BinaryMessage): number {
  return typeof message === "string" ? message.length : message.reduce((size, part) => size + part.length, 0);
}

/** The same as the size limit counts it: what a text takes in UTF-8. */
export function byteLength(message: string | BinaryMessage): number {
  return typeof message === "string" ? new TextEncoder().encode(message).length : messageSize(message);
}

/** Whether that is more than `bytes`. */
export function isLonger(message: string | BinaryMessage, bytes: number): boolean {
  // UTF-8 takes at most three bytes for a UTF-16 unit, so most texts need no count.
  if (typeof message === "string" && message.length * 3 <= bytes) return false;
  return byteLength(message) > bytes;
}

/** The parts one after the other in new memory. */
export function joined(parts: BinaryMessage): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(messageSize(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
