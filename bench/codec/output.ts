/** What contenders hand over: counted while it is timed, looked at closely when answers are compared. */
export interface Output {
  /** Whether each row is wanted, or only that each was looked at. */
  readonly everyRow: boolean;
  /** Something in what was split: where it starts, how long it is, of which kind. */
  row(offset: number, length: number, kind: number): void;
  message(value: unknown): void;
  bytes(body: Uint8Array): void;
}

/** Keeps just enough that no runtime can leave the work out. */
export class Count implements Output {
  readonly everyRow = false;
  count = 0;
  sum = 0;
  last: unknown;

  row(offset: number, length: number, kind: number): void {
    this.count++;
    this.sum = (this.sum + offset + length + kind) | 0;
  }

  message(value: unknown): void {
    this.count++;
    this.last = value;
  }

  bytes(body: Uint8Array): void {
    this.count++;
    this.last = body;
  }
}

/** A fingerprint of all of it. */
export class Fingerprint implements Output {
  readonly everyRow = true;
  #hash = 0x811c9dc5;
  #count = 0;

  row(offset: number, length: number, kind: number): void {
    this.#add(offset);
    this.#add(length);
    this.#add(kind);
    this.#count++;
  }

  message(value: unknown): void {
    const text = JSON.stringify(value);
    for (let index = 0; index < text.length; index++) this.#add(text.charCodeAt(index));
    this.#count++;
  }

  bytes(body: Uint8Array): void {
    const whole = body.byteOffset % 4 === 0 ? body : new Uint8Array(body);
    const words = new Uint32Array(whole.buffer, whole.byteOffset, whole.length >> 2);
    for (const word of words) this.#add(word);
    for (const byte of whole.subarray(words.length * 4)) this.#add(byte);
    this.#count++;
  }

  toString(): string {
    return `${this.#count} with hash ${(this.#hash >>> 0).toString(16)}`;
  }

  #add(value: number): void {
    this.#hash = Math.imul(this.#hash ^ value, 0x01000193);
  }
}

/** Goes once through all of a work, and hands over what comes out of it. */
export type Pass = () => void | Promise<void>;
