import type { BinaryMessage } from "./channel.ts";

/** What a request handler returns to send a binary message right behind its answer, with nothing in between. */
export class Reply {
  readonly result: unknown;
  readonly binary: BinaryMessage;
  /** Called once, when nothing reads the bytes of `binary` any more: they were written, or dropped. */
  readonly done: (() => void) | undefined;

  constructor(result: unknown, binary: BinaryMessage, done?: () => void) {
    this.result = result;
    this.binary = binary;
    this.done = done;
  }
}
