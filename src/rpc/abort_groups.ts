/** One listener per AbortSignal for any number of entries: adding a listener per call costs more than the call. */
export class AbortGroups<T> {
  readonly #groups = new Map<AbortSignal, { readonly entries: Set<T>; readonly listener: () => void }>();
  readonly #abort: (entry: T, reason: unknown) => void;

  constructor(abort: (entry: T, reason: unknown) => void) {
    this.#abort = abort;
  }

  add(signal: AbortSignal, entry: T): void {
    let group = this.#groups.get(signal);
    if (group === undefined) {
      const entries = new Set<T>();
      const listener = () => {
        this.#groups.delete(signal);
        for (const each of entries) this.#abort(each, signal.reason);
      };
      group = { entries, listener };
      this.#groups.set(signal, group);
      signal.addEventListener("abort", listener, { once: true });
    }
    group.entries.add(entry);
  }

  delete(signal: AbortSignal, entry: T): void {
    const group = this.#groups.get(signal);
    if (group === undefined || !group.entries.delete(entry) || group.entries.size > 0) return;
    this.#groups.delete(signal);
    signal.removeEventListener("abort", group.listener);
  }
}
