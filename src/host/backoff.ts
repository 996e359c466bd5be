/** When an extension that keeps failing may be started again. */

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** In a row, before it is given up. */
export const MOST_FAILURES = 5;
/** Who ran this long was well: what happens then is not one more of the failures before. */
const WELL_MS = 30_000;

export class Backoff {
  #failures = 0;
  #lastFailure = 0;

  get failures(): number {
    return this.#failures;
  }

  get exhausted(): boolean {
    return this.#failures >= MOST_FAILURES;
  }

  /** It failed at `now`, in ms, after it had been ready for `readyMs`. */
  failed(now: number, readyMs: number): void {
    this.#failures = readyMs >= WELL_MS ? 1 : this.#failures + 1;
    this.#lastFailure = now;
  }

  /** It did what it was asked. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** How long to wait from `now` on, in ms: 0.5 s after the first failure, doubling to 30 s. */
  delay(now: number): number {
    if (this.#failures === 0) return 0;
    const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#failures - 1));
    return Math.max(0, this.#lastFailure + wait - now);
  }
}
