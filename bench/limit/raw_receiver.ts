/** Length-prefixed bytes into one buffer that is kept for the next of the same size. */

export class RawReceiver {
  readonly #received: (bytes: Uint8Array) => void;
  readonly #header = new Uint8Array(4);
  #headerLength = 0;
  #target = new Uint8Array(0);
  #arrived = 0;

  constructor(received: (bytes: Uint8Array) => void) {
    this.#received = received;
  }

  /** Reads `chunk` only during the call. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#headerLength < 4) {
        this.#header[this.#headerLength++] = chunk[at++] as number;
        if (this.#headerLength === 4) this.#begin();
        continue;
      }
      const to = Math.min(chunk.length, at + this.#target.length - this.#arrived);
      this.#target.set(chunk.subarray(at, to), this.#arrived);
      this.#arrived += to - at;
      at = to;
      if (this.#arrived === this.#target.length) {
        this.#headerLength = 0;
        this.#received(this.#target);
      }
    }
  }

  #begin(): void {
    const length = new DataView(this.#header.buffer).getUint32(0);
    if (length !== this.#target.length) this.#target = new Uint8Array(length);
    this.#arrived = 0;
  }
}

export function headerOf(payload: Uint8Array): Uint8Array {
  const header = new Uint8Array(4);
  new DataView(header.buffer).setUint32(0, payload.length);
  return header;
}
