/** Asks every MX extension how it is, now and then: one timer for all of them, and none while there are none. */

import { timerMs } from "../rpc/within.ts";

interface Polled {
  poll(): Promise<void>;
}

export class Poller {
  readonly #intervalMs: number;
  readonly #all: () => Iterable<Polled>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(intervalMs: number, all: () => Iterable<Polled>) {
    this.#intervalMs = intervalMs;
    this.#all = all;
  }

  /** Somebody may be there to be asked. */
  wake(): void {
    if (this.#timer !== undefined || !(this.#intervalMs > 0)) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const each of this.#all()) {
        // Never rejects: what comes of it is told as a state.
        void each.poll();
        this.wake();
      }
    }, timerMs(this.#intervalMs));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
