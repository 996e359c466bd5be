/** Lets so many in at a time; the others wait in their order. */
export class Semaphore {
  #places: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#places = places;
  }

  /** Undefined when there was a place, else a promise that settles once there is one. */
  acquire(): Promise<void> | undefined {
    if (this.#places > 0) {
      this.#places--;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Called once by whoever has acquired. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#places++;
  }
}
