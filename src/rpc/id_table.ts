/** What is in flight, by id. */
import type { RequestId } from "./message.ts";

const FIRST_SLOTS = 4;
const MOST_SLOTS = 2_048;
/** Of every table that nothing was added to. Never written: the first entry makes a table grow. */
const NO_SLOTS: undefined[] = [undefined];

/**
 * Entries by id, made for ids that count up: a ring of slots, each for the last id that fell on it.
 *
 * A Map alone would do, but at a million calls a minute it makes a new table every few hundred, and a table that the
 * collector has moved to old space keeps alive all that was in it, and the tables after it: half of the time went there.
 */
export class IdTable<T extends { readonly id: RequestId }> {
  #slots: (T | undefined)[] = NO_SLOTS;
  /** Those whose slot a later one has taken, and those whose id is text. */
  #others: Map<RequestId, T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: RequestId): T | undefined {
    const entry = typeof id === "number" ? this.#slots[id & (this.#slots.length - 1)] : undefined;
    return entry?.id === id ? entry : this.#others?.get(id);
  }

  /** `entry.id` is not in the table. */
  add(entry: T): void {
    this.#size++;
    const { id } = entry;
    if (typeof id !== "number") return this.#setAside(entry);
    if (this.#size * 2 > this.#slots.length && this.#slots.length < MOST_SLOTS) this.#grow();
    const at = id & (this.#slots.length - 1);
    const older = this.#slots[at];
    if (older !== undefined) this.#setAside(older);
    this.#slots[at] = entry;
  }

  delete(id: RequestId): boolean {
    const at = typeof id === "number" ? id & (this.#slots.length - 1) : -1;
    if (this.#slots[at]?.id === id) this.#slots[at] = undefined;
    else if (this.#others?.delete(id) !== true) return false;
    this.#size--;
    return true;
  }

  /** In no order. What is added or deleted meanwhile changes nothing. */
  values(): T[] {
    const inSlots = this.#slots.filter((entry) => entry !== undefined);
    return this.#others ? [...inSlots, ...this.#others.values()] : inSlots;
  }

  #setAside(entry: T): void {
    this.#others ??= new Map();
    this.#others.set(entry.id, entry);
  }

  /** Ids that differ in their last bits do so in one more of them. */
  #grow(): void {
    const slots = new Array<T | undefined>(Math.max(FIRST_SLOTS, this.#slots.length * 2)).fill(undefined);
    for (const entry of this.#slots) if (entry) slots[(entry.id as number) & (slots.length - 1)] = entry;
    this.#slots = slots;
  }
}
