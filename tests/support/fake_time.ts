/**
 * Time that passes only when a test says so: timers and the monotonic clock of this program, while `work` runs. Other
 * processes and sockets keep their own: wait for what comes from them before time passes, and afterwards.
 */
import { nextTurn } from "../../src/rpc/turn.ts";

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

export class FakeTime {
  #now = 0;
  readonly #timers = new Map<unknown, Timer>();

  /** In ms since its start. */
  get now(): number {
    return this.#now;
  }

  /** Timers that have neither fired nor been cleared: each would keep a program from ending. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Replaces what tells the time until `work` has settled. */
  static async run(work: (time: FakeTime) => Promise<void>): Promise<void> {
    const time = new FakeTime();
    const { setTimeout, clearTimeout } = globalThis;
    const ownNow = Object.getOwnPropertyDescriptor(performance, "now");
    globalThis.setTimeout = ((callback: () => void, ms = 0) => time.#add(callback, ms)) as unknown as typeof setTimeout;
    globalThis.clearTimeout = ((id: unknown) => void time.#timers.delete(id)) as typeof clearTimeout;
    Object.defineProperty(performance, "now", { value: () => time.now, configurable: true, writable: true });
    let left: readonly Timer[] = [];
    try {
      await work(time);
    } catch (error) {
      // Whoever cleans up after a failure may wait for a timer that would never come.
      left = [...time.#timers.values()];
      throw error;
    } finally {
      Object.assign(globalThis, { setTimeout, clearTimeout });
      if (ownNow) Object.defineProperty(performance, "now", ownNow);
      else delete (performance as { now?: unknown }).now;
      for (const { due, callback } of left) setTimeout(callback, due - time.now);
    }
  }

  /** Lets `ms` pass, timer by timer, each with what follows from it at once. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const next = [...this.#timers].sort(([, a], [, b]) => a.due - b.due)[0];
      if (next === undefined || next[1].due > end) break;
      const [id, { due, callback }] = next;
      this.#now = Math.max(this.#now, due);
      this.#timers.delete(id);
      callback();
      await settled();
    }
    this.#now = end;
  }

  #add(callback: () => void, ms: number): object {
    // As a runtime's own, which may be told not to keep the program.
    const timer = { ref: () => timer, unref: () => timer };
    this.#timers.set(timer, { due: this.#now + ms, callback });
    return timer;
  }
}

/** What was put off to the next turns has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>(nextTurn);
}
