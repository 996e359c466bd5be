const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** A limit and what an error calls it. Immutable, so a message keeps the one that it started under. */
export interface MessageLimit {
  readonly bytes: number;
  readonly name: string;
}

/** @throws RangeError for anything but a number from 1 up; Infinity is one. */
export function messageLimit(bytes: number = DEFAULT_MAX_MESSAGE_BYTES, name = "maxMessageBytes"): MessageLimit {
  if (!(bytes >= 1)) throw new RangeError(`${name} must be at least 1 byte, not ${bytes}`);
  return { bytes, name };
}
