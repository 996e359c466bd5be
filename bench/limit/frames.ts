/** Frames with JSON in them, as fast as they can be written by hand: each chunk is decoded once and sliced. */

/** What Buffer's own text methods are made of: public in use, missing from its types. */
interface RawBuffer extends Buffer {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
  utf8Write(text: string, at: number): number;
}

const beyondAscii = /[\x80-\xff]/;

/** Gives a chunk's whole messages at once. */
export function frameReader(messages: (messages: string[]) => void): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  return (chunk) => {
    const bytes = (rest === undefined ? chunk : Buffer.concat([rest, chunk])) as RawBuffer;
    const whole = bytes.latin1Slice(0, bytes.length);
    const found: string[] = [];
    let at = 0;
    while (at + 4 <= bytes.length) {
      const end = at + 4 + bytes.readUInt32BE(at);
      if (end > bytes.length) break;
      const text = whole.slice(at + 5, end);
      found.push(beyondAscii.test(text) ? bytes.utf8Slice(at + 5, end) : text);
      at = end;
    }
    rest = at === bytes.length ? undefined : Buffer.from(bytes.subarray(at));
    messages(found);
  };
}

/** One buffer for all frames of a tick. */
export function framesBytes(messages: readonly string[]): Buffer {
  let room = 0;
  for (const message of messages) room += 5 + message.length * 3;
  const bytes = Buffer.allocUnsafe(room) as RawBuffer;
  let at = 0;
  for (const message of messages) {
    const length = bytes.utf8Write(message, at + 5);
    bytes.writeUInt32BE(length + 1, at);
    bytes[at + 4] = 0;
    at += 5 + length;
  }
  return bytes.subarray(0, at);
}
