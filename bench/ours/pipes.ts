import type { Readable, Writable } from "node:stream";
import type { Pipe } from "../../src/rpc/pipe.ts";

export function streams(readable: Readable, writable: Writable): Pipe {
  return {
    open(receiver) {
      readable.on("data", (chunk: Buffer) => receiver.data(chunk));
      readable.on("end", () => receiver.end());
    },
    write(chunks) {
      for (const chunk of chunks) writable.write(chunk);
      return writable.writableNeedDrain
        ? new Promise((resolve) => void writable.once("drain", () => resolve()))
        : undefined;
    },
    async end() {
      writable.end();
    },
    destroy() {
      readable.destroy();
      writable.destroy();
    },
  };
}
