/** One timer for any number of deadlines: it is armed for the earliest, and whoever owns them sweeps when it fires. */
export class Deadlines {
  /** Settles what is due at `now` and returns the earliest deadline left, or Infinity. */
  readonly #sweep: (now: number) => number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #armedFor = Infinity;

  constructor(sweep: (now: number) => number) {
    this.#sweep = sweep;
  }

  /** On the monotonic clock, in ms. */
  now(): number {
    return performance.now();
  }

  watch(deadline: number): void {
    if (deadline >= this.#armedFor) return;
    this.stop();
    this.#armedFor = deadline;
    // A timer may fire a little before its time by this clock; the sweep arms it again then.
    this.#timer = setTimeout(
      () => {
        this.#armedFor = Infinity;
        this.watch(this.#sweep(this.now()));
      },
      Math.min(Math.max(1, Math.ceil(deadline - this.now())), 0x7fff_ffff),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#armedFor = Infinity;
  }
}
