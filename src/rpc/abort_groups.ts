/** One listener per AbortSignal for any number of calls: adding a listener per call costs more than the call. */
export class AbortGroups {
  readonly #groups = new Map<AbortSignal, { calls: number; readonly listener: () => void }>();
  /** The one that had calls last and has none now. */
  #idle: AbortSignal | undefined;
  readonly #aborted: (signal: AbortSignal) => void;

  /** `aborted` ends all calls with the signal. */
  constructor(aborted: (signal: AbortSignal) => void) {
    this.#aborted = aborted;
  }

  /** One more call with `signal`, which is not aborted. */
  add(signal: AbortSignal): void {
    let group = this.#groups.get(signal);
    if (group === undefined) {
      group = { calls: 0, listener: () => this.#aborted(signal) };
      this.#groups.set(signal, group);
      signal.addEventListener("abort", group.listener, { once: true });
    }
    group.calls++;
  }

  /** One less. The listener stays for the next call until another signal is left without one. */
  delete(signal: AbortSignal): void {
    const group = this.#groups.get(signal);
    if (group === undefined || --group.calls > 0 || this.#idle === signal) return;
    this.#drop(this.#idle);
    this.#idle = signal;
  }

  /** Lets go of every signal. */
  clear(): void {
    for (const signal of this.#groups.keys()) this.#drop(signal);
    this.#idle = undefined;
  }

  #drop(signal: AbortSignal | undefined): void {
    const group = signal && this.#groups.get(signal);
    if (group === undefined || group.calls > 0) return;
    this.#groups.delete(signal as AbortSignal);
    signal?.removeEventListener("abort", group.listener);
  }
}
