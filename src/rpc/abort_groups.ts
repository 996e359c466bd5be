/** One listener per AbortSignal for any number of calls: adding a listener per call costs more than the call. */
export class AbortGroups {
  readonly #calls = new Map<AbortSignal, number>();
  /** The one that had calls last and has none now. */
  #idle: AbortSignal | undefined;
  readonly #listener: (event: Event) => void;

  /** `aborted` ends all calls with the signal. */
  constructor(aborted: (signal: AbortSignal) => void) {
    this.#listener = ({ target }) => aborted(target as AbortSignal);
  }

  /** One more call with `signal`, which is not aborted. */
  add(signal: AbortSignal): void {
    const calls = this.#calls.get(signal);
    if (calls === undefined) signal.addEventListener("abort", this.#listener);
    this.#calls.set(signal, (calls ?? 0) + 1);
  }

  /** One less. The listener stays for the next call until another signal is left without one. */
  delete(signal: AbortSignal): void {
    const calls = (this.#calls.get(signal) as number) - 1;
    this.#calls.set(signal, calls);
    if (calls > 0 || this.#idle === signal) return;
    this.#drop(this.#idle);
    this.#idle = signal;
  }

  /** Lets go of every signal. */
  clear(): void {
    for (const signal of this.#calls.keys()) this.#drop(signal);
    this.#idle = undefined;
  }

  #drop(signal: AbortSignal | undefined): void {
    if (signal === undefined || this.#calls.get(signal) !== 0) return;
    this.#calls.delete(signal);
    signal.removeEventListener("abort", this.#listener);
  }
}
