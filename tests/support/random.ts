/** A small generator of random numbers that gives the same ones for the same seed everywhere (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `below - 1`. */
  int(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  chance(oneIn: number): boolean {
    return this.int(oneIn) === 0;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.int(choices.length)] as T;
  }
}
