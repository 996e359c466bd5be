/** What is kept between messages so that the next cut one needs no new memory. */
const KEPT_BYTES = 2 * 1024 * 1024;
const FIRST_BYTES = 1024;
/** Of every tail that nothing was added to: a host of many idle sessions has one each. */
const NO_BYTES = new Uint8Array(0);

/**
 * The beginning of a message whose end has not arrived. It doubles as it grows, so that every byte is moved
 * at most twice however small the chunks are, and it never grows ahead of what arrived by more than that.
 * While all of it is ASCII it may be held as text instead, and is turned back when bytes follow.
 */
export class Tail {
  #buffer = NO_BYTES;
  #length = 0;
  /** ASCII, so as long as its bytes are; not empty only while `#length` is 0. */
  #text = "";
  /** Bytes copied so far, growth included. */
  copied = 0;

  get length(): number {
    return this.#length + this.#text.length;
  }

  get isText(): boolean {
    return this.#length === 0;
  }

  /** The bytes so far; borrowed, valid until the next call. */
  get bytes(): Uint8Array {
    this.#turnToBytes();
    return this.#buffer.subarray(0, this.#length);
  }

  get lastByte(): number | undefined {
    return this.#length > 0 ? this.#buffer[this.#length - 1] : this.#text.charCodeAt(this.#text.length - 1);
  }

  /** Adds `source[from, to)`. `most` is the most this message can become, where that is known. */
  append(source: Uint8Array, from: number, to: number, most: number): void {
    this.#turnToBytes();
    this.#reserve(this.#length + to - from, most);
    this.#buffer.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.#length);
    this.#length += to - from;
    this.copied += to - from;
  }

  /** Adds ASCII text; only while `isText`. */
  appendText(text: string): void {
    this.#text += text;
    this.copied += text.length;
  }

  /** The text so far, which is taken out; only while `isText`. */
  takeText(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  clear(): void {
    this.#length = 0;
    this.#text = "";
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = NO_BYTES;
  }

  #turnToBytes(): void {
    if (this.#text === "") return;
    const text = this.takeText();
    this.#reserve(text.length, text.length);
    new TextEncoder().encodeInto(text, this.#buffer);
    this.#length = text.length;
    this.copied += text.length;
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
