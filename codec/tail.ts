/** What is kept between messages so that the next cut one needs no new memory. */
const KEPT_BYTES = 2 * 1024 * 1024;
const FIRST_BYTES = 1024;

/**
 * The beginning of a message whose end has not arrived. It doubles as it grows, so that every byte is moved
 * at most twice however small the chunks are, and it never grows ahead of what arrived by more than that.
 */
export class Tail {
  #buffer = new Uint8Array(0);
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

  /** Adds `source[from, to)`. `most` is the most this message can become, where that is known. */
  append(source: Uint8Array, from: number, to: number, most: number): void {
    const length = this.#length + to - from;
    if (length > this.#buffer.length) this.#grow(length, most);
    this.#buffer.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.#length);
    this.#length = length;
    this.copied += to - from;
  }

  clear(): void {
    this.#length = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = new Uint8Array(0);
  }

  #grow(needed: number, most: number): void {
    const grown = new Uint8Array(Math.max(needed, Math.min(most, Math.max(FIRST_BYTES, this.#buffer.length * 2, needed + (needed >> 1)))));
    if (this.#length > 0) grown.set(this.bytes);
    this.copied += this.#length;
    this.#buffer = grown;
  }
}
