/** Messages as they lie in bytes, made and cut by hand: by the simplest code there is, and by none of ours. */

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages whose shape is what they test
export type Json = any;

export interface RawFrame {
  /** The length as it was written. */
  readonly length: number;
  readonly kind: number;
  readonly body: Buffer;
}

/** A frame as M-01 has it. */
export function frame(kind: number, body: Uint8Array | string): Buffer {
  const bytes = Buffer.from(body as Uint8Array);
  const out = Buffer.alloc(5 + bytes.length);
  out.writeUInt32BE(bytes.length + 1, 0);
  out[4] = kind;
  out.set(bytes, 5);
  return out;
}

export function jsonFrame(message: Json): Buffer {
  return frame(0, JSON.stringify(message));
}

/** A kind-1 body as X-10 has it. */
export function attachmentBody(id: number | bigint | string, role: string, bytes: Uint8Array): Buffer {
  const idPart = Buffer.alloc(typeof id === "string" ? 5 : 9);
  if (typeof id === "string") {
    idPart[0] = 1;
    idPart.writeUInt32BE(Buffer.byteLength(id), 1);
  } else {
    idPart.writeBigInt64BE(BigInt(id), 1);
  }
  const rolePart = Buffer.alloc(4);
  rolePart.writeUInt32BE(Buffer.byteLength(role));
  return Buffer.concat([idPart, Buffer.from(typeof id === "string" ? id : ""), rolePart, Buffer.from(role), bytes]);
}

/** mxfb0001 as X-11 has it. */
export function framebufferBytes(
  width: number,
  height: number,
  stride: number,
  format: number,
  pixels: Uint8Array,
): Buffer {
  const head = Buffer.alloc(24);
  head.write("mxfb0001");
  for (const [index, value] of [width, height, stride, format].entries()) head.writeUInt32BE(value, 8 + 4 * index);
  return Buffer.concat([head, pixels]);
}

/** Throws on what is no UTF-8. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

/** What it returns takes chunks; each line of theirs goes to `take`, without its LF. */
export function cutLines(take: (line: string) => void): (chunk: Uint8Array) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end);
      rest = rest.subarray(end + 1);
      take(textOf(line));
    }
  };
}

/** What it returns takes chunks; each frame of theirs goes to `take`. */
export function cutFrames(take: (frame: RawFrame) => void): (chunk: Uint8Array) => void {
  let chunks: Uint8Array[] = [];
  let arrived = 0;
  /** Bytes that must be there before it is worth looking again: a long frame is not joined chunk by chunk. */
  let needed = 4;
  return (chunk) => {
    chunks.push(chunk);
    arrived += chunk.length;
    while (arrived >= needed) {
      const bytes = Buffer.concat(chunks);
      const length = bytes.readUInt32BE(0);
      const whole = bytes.length >= 4 + length;
      chunks = [whole ? bytes.subarray(4 + length) : bytes];
      arrived = whole ? bytes.length - 4 - length : bytes.length;
      needed = whole ? 4 : 4 + length;
      if (whole) take({ length, kind: bytes[4] as number, body: bytes.subarray(5, 4 + length) });
    }
  };
}
