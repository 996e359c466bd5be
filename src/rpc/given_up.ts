/** Requests that were given up before their answer came: the last ones by id, and all up to the last that was forgotten. */
export class GivenUp {
  readonly #most: number;
  readonly #ids = new Set<number>();
  #forgotten = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(id: number): void {
    this.#ids.add(id);
    if (this.#ids.size <= this.#most) return;
    const [oldest = 0] = this.#ids;
    this.#ids.delete(oldest);
    this.#forgotten = Math.max(this.#forgotten, oldest);
  }

  /** Also true of some that were not, as old as those that were forgotten. */
  has(id: number): boolean {
    return this.#ids.has(id) || (id > 0 && id <= this.#forgotten);
  }
}
