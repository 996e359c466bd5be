/** The last ones of many, so many at most. */
export class Latest<T> {
  readonly #most: number;
  readonly #kept: T[] = [];
  /** Where the oldest is, once the next one has to take its place. */
  #oldest = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Oldest first. */
  get all(): T[] {
    return [...this.#kept.slice(this.#oldest), ...this.#kept.slice(0, this.#oldest)];
  }

  add(item: T): void {
    if (this.#kept.length < this.#most) this.#kept.push(item);
    else if (this.#kept.length > 0) {
      this.#kept[this.#oldest] = item;
      this.#oldest = (this.#oldest + 1) % this.#kept.length;
    }
  }
}
