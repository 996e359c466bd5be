/** Reading a pipe to its end, and bytes to write to one. */
import type { Pipe } from "../../src/rpc/pipe.ts";

export interface Reading {
  readonly bytes: () => Uint8Array;
  readonly text: () => string;
  readonly ended: Promise<Error | undefined>;
  /** Settles once the text so far holds `part`. */
  readonly until: (part: string) => Promise<void>;
}

/** Opens `pipe`. */
export function read(pipe: Pipe): Reading {
  const chunks: Uint8Array[] = [];
  let waiting = () => {};
  const bytes = () => Buffer.concat(chunks);
  const text = () => bytes().toString("utf8");
  const ended = new Promise<Error | undefined>((resolve) => {
    pipe.open({
      data(chunk) {
        chunks.push(chunk.slice());
        waiting();
      },
      end(error) {
        resolve(error);
      },
    });
  });
  const until = (part: string) =>
    new Promise<void>((resolve) => {
      waiting = () => {
        if (text().includes(part)) resolve();
      };
      waiting();
    });
  return { bytes, text, ended, until };
}

export function pattern(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 0xff);
}
