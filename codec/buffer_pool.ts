/**
 * Buffers that their reader gave back. Takes only buffers that it handed out itself, each once,
 * so giving back the wrong array or the same one twice can never make two readers share memory.
 */
export class BufferPool {
  readonly #lent = new WeakSet<ArrayBuffer>();
  readonly #most: number;
  #free: ArrayBuffer[] = [];

  /** Keeps `most` of them. */
  constructor(most: number) {
    this.#most = most;
  }

  /** A buffer of exactly `bytes`, if one that was given back has room for it and is at most twice as large. */
  reuse(bytes: number): Uint8Array<ArrayBuffer> | undefined {
    // A detached buffer (length 0) was given back and then transferred elsewhere: it never fits.
    const at = this.#free.findIndex(({ byteLength: size }) => size > 0 && size >= bytes && size <= bytes * 2);
    const buffer = this.#free[at];
    if (buffer === undefined) return undefined;
    this.#free.splice(at, 1);
    this.#lent.add(buffer);
    return new Uint8Array(buffer, 0, bytes);
  }

  /** The same, or new memory. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    return this.reuse(bytes) ?? this.allocate(bytes);
  }

  allocate(bytes: number): Uint8Array<ArrayBuffer> {
    const made = new Uint8Array(bytes);
    this.#lent.add(made.buffer);
    return made;
  }

  /** Takes `body`, or any view of its buffer, back. */
  recycle(body: Uint8Array): void {
    const buffer = body.buffer;
    if (!(buffer instanceof ArrayBuffer) || !this.#lent.delete(buffer) || buffer.byteLength === 0) return;
    this.#free.push(buffer);
    // The oldest goes: sizes that no longer come are the ones that stay unused.
    if (this.#free.length > this.#most) this.#free.shift();
  }
}
