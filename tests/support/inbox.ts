/** What has come and was not looked at yet, and whoever waits for it. */
export class Inbox<T> {
  /** All that ever came. */
  readonly all: T[] = [];
  #taken = 0;
  #waiting: { readonly resolve: (item: T) => void; readonly reject: (why: Error) => void }[] = [];
  #over: Error | undefined;

  readonly push = (item: T): void => {
    this.all.push(item);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.#taken++;
    waiting.resolve(item);
  };

  /** Nothing will come any more: whoever waits, or asks for more than there is, is told why. */
  end(why: Error): void {
    this.#over ??= why;
    for (const { reject } of this.#waiting) reject(this.#over);
    this.#waiting = [];
  }

  /** The next one, in order. */
  next(): Promise<T> {
    if (this.#taken < this.all.length) return Promise.resolve(this.all[this.#taken++] as T);
    if (this.#over) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** How many have come that nobody took. */
  get size(): number {
    return this.all.length - this.#taken;
  }
}
