/** What has come and was not looked at yet, and whoever waits for it. */
export class Inbox<T> {
  /** All that ever came. */
  readonly all: T[] = [];
  readonly #untaken: T[] = [];
  #waiting: Waiting<T>[] = [];
  #over: Error | undefined;

  readonly push = (item: T): void => {
    this.all.push(item);
    const at = this.#waiting.findIndex(({ wanted }) => wanted(item));
    if (at === -1) this.#untaken.push(item);
    else this.#waiting.splice(at, 1)[0]?.resolve(item);
  };

  /** Nothing will come any more: whoever waits, or asks for more than there is, is told why. */
  end(why: Error): void {
    this.#over ??= why;
    for (const { reject } of this.#waiting) reject(this.#over);
    this.#waiting = [];
  }

  /** The next one, or the next that is `wanted`; those before it keep their place. */
  next(wanted: (item: T) => boolean = () => true): Promise<T> {
    const at = this.#untaken.findIndex(wanted);
    if (at !== -1) return Promise.resolve(this.#untaken.splice(at, 1)[0] as T);
    if (this.#over) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => this.#waiting.push({ wanted, resolve, reject }));
  }

  /** How many have come that nobody took. */
  get size(): number {
    return this.#untaken.length;
  }
}

interface Waiting<T> {
  readonly wanted: (item: T) => boolean;
  readonly resolve: (item: T) => void;
  readonly reject: (why: Error) => void;
}
