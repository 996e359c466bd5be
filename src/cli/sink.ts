/** One of the program's two output streams, which knows when all that was written has left. */

import { asError } from "../rpc/thrown.ts";

/** In characters: a screen that stands still must not cost all the memory there is. */
const MOST_WAITING = 4 * 1024 * 1024;

/** The file that stands behind the stream takes no more; Deno gives the system's numbers of these. */
const NO_SPACE = /ENOSPC|EDQUOT|EFBIG|os error (?:28|122|27)\b/;

export type Stream = NodeJS.WriteStream;

export class Sink {
  readonly #stream: Stream;
  #unwritten = 0;
  /** In characters. */
  #waitingToLeave = 0;
  /** Its reader left, as `| head` does: what follows goes nowhere. */
  #isGone = false;
  #failure: Error | undefined;
  #waiting: (() => void)[] = [];
  #onGone: () => void = () => {};

  constructor(stream: Stream) {
    this.#stream = stream;
    stream.on("error", (error) => this.#gone(error));
    stream.on("close", () => this.#gone());
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  get columns(): number {
    return this.#stream.columns || 80;
  }

  get rows(): number {
    return this.#stream.rows || 24;
  }

  /** Whether what was written waits for a reader who is slower than the writer. */
  get isFull(): boolean {
    return this.#waitingToLeave > MOST_WAITING;
  }

  /** Why what was written is not where it should be, which no reader has wanted so. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Called once nobody reads any more. */
  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  write(text: string): void {
    if (this.#isGone || text === "") return;
    this.#unwritten++;
    this.#waitingToLeave += text.length;
    try {
      // Each write is counted: Bun calls back for an empty one before those ahead of it have left.
      this.#stream.write(text, (error) => {
        this.#unwritten--;
        this.#waitingToLeave -= text.length;
        if (error) this.#gone(error);
        if (this.#unwritten === 0) this.#settle();
      });
    } catch (error) {
      // Deno says it so.
      this.#gone(asError(error));
    }
  }

  /** Settles when all has been handed over, or the reader is gone. */
  flush(): Promise<void> {
    if (this.#unwritten === 0 || this.#isGone) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #gone(error?: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    if (error !== undefined && NO_SPACE.test(`${(error as NodeJS.ErrnoException).code} ${error.message}`)) {
      this.#failure = error;
    }
    this.#settle();
    this.#onGone();
  }

  #settle(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
