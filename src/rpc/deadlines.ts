import { timerMs } from "./within.ts";

/** Whoever has deadlines, as `performance.now()` counts: settles what is due at `now`, and returns the earliest one left, or Infinity. */
export interface DeadlineOwner {
  expire(now: number): number;
}

/** One timer for any number of deadlines: it is armed for the earliest, and their owner looks at all of them when it fires. */
export class Deadlines {
  readonly #owner: DeadlineOwner;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #armedFor = Infinity;

  constructor(owner: DeadlineOwner) {
    this.#owner = owner;
  }

  watch(deadline: number): void {
    if (deadline >= this.#armedFor) return;
    this.stop();
    this.#armedFor = deadline;
    // A timer may fire a little before its time by this clock; the owner's answer arms it again then.
    this.#timer = setTimeout(
      () => {
        this.stop();
        this.watch(this.#owner.expire(performance.now()));
      },
      timerMs(Math.max(1, Math.ceil(deadline - performance.now()))),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#armedFor = Infinity;
  }
}
