/** One of the program's two output streams, which knows when all that was written has left. */

/** In characters: a screen that stands still must not cost all the memory there is. */
const MOST_WAITING = 4 * 1024 * 1024;

export type Stream = NodeJS.WriteStream;

export class Sink {
  readonly #stream: Stream;
  #unwritten = 0;
  /** In characters. */
  #waitingToLeave = 0;
  /** Its reader left, as `| head` does: what follows goes nowhere. */
  #isGone = false;
  #waiting: (() => void)[] = [];
  #onGone: () => void = () => {};

  constructor(stream: Stream) {
    this.#stream = stream;
    stream.on("error", () => this.#gone());
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

  /** Called once nobody reads any more. */
  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  write(text: string): void {
    if (this.#isGone || text === "") return;
    this.#unwritten++;
    this.#waitingToLeave += text.length;
    // Each write is counted: Bun calls back for an empty one before those ahead of it have left.
    this.#stream.write(text, () => {
      this.#unwritten--;
      this.#waitingToLeave -= text.length;
      if (this.#unwritten === 0) this.#settle();
    });
  }

  /** Settles when all has been handed over, or the reader is gone. */
  flush(): Promise<void> {
    if (this.#unwritten === 0 || this.#isGone) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#settle();
    this.#onGone();
  }

  #settle(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
