/** What is kept between messages so that the next cut one needs no new memory. */
const KEPT_BYTES = 2 * 1024 * 1024;
const FIRST_BYTES = 1024;
/** Of every tail that nothing was added to: a host of many idle sessions has one each. */
const NO_BYTES = new Uint8Array(0);

/**
 * The beginning of a message whose end has not arrived. It doubles as it grows, so that every byte is moved
 * at most twice however small the chunks are, and it never grows ahead of what arrived by more than that.
 */
export class Tail {
  #buffer = NO_BYTES;
  #length = 0;
  /** Bytes copied so far, growth included. */
  copied = 0;

  get length(): number {
    return this.#length;
  }

  /** The bytes so far; borrowed, valid until the next call. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  get lastByte(): number | undefined {
    return this.#buffer[this.#length - 1];
  }

  /** Adds `source[from, to)`. `most` is the most this message can become, where that is known. */
  append(source: Uint8Array, from: number, to: number, most: number): void {
    this.#reserve(this.#length + to - from, most);
    this.#buffer.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.#length);
    this.#length += to - from;
    this.copied += to - from;
  }

  clear(): void {
    this.#length = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = NO_BYTES;
  }

  #reserve(needed: number, most: number): void {
    if (needed <= this.#buffer.length) return;
    const roomy = Math.max(FIRST_BYTES, this.#buffer.length * 2, needed + (needed >> 1));
    const grown = new Uint8Array(Math.max(needed, Math.min(most, roomy)));
    if (this.#length > 0) grown.set(this.#buffer.subarray(0, this.#length));
    this.copied += this.#length;
    this.#buffer = grown;
  }
}
