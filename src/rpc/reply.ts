import type { BinaryMessage } from "./channel.ts";

/** What a request handler returns when something comes right behind its answer, with nothing in between. */
export class Reply {
  readonly result: unknown;
  readonly binary: BinaryMessage | undefined;
  /**
   * Called once: when the answer is queued, or with `binary` when nothing reads its bytes any more: they were written, or
   * dropped. What it sends leaves in one write with the answer.
   */
  readonly done: (() => void) | undefined;

  constructor(result: unknown, binary: BinaryMessage | undefined, done?: () => void) {
    this.result = result;
    this.binary = binary;
    this.done = done;
  }
}
