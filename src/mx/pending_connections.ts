import { type DeadlineOwner, Deadlines } from "../rpc/deadlines.ts";
import type { Connection } from "./connection.ts";

/** Connections whose hello was not accepted yet, each with the time by which it must be. */
export class PendingConnections implements DeadlineOwner {
  readonly #timeoutMs: number;
  /** The oldest first. */
  readonly #deadlineOf = new Map<Connection, number>();
  readonly #deadlines = new Deadlines(this);

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  get size(): number {
    return this.#deadlineOf.size;
  }

  all(): readonly Connection[] {
    return [...this.#deadlineOf.keys()];
  }

  add(connection: Connection): void {
    const deadline = performance.now() + this.#timeoutMs;
    this.#deadlineOf.set(connection, deadline);
    this.#deadlines.watch(deadline);
  }

  delete(connection: Connection): void {
    this.#deadlineOf.delete(connection);
    if (this.#deadlineOf.size === 0) this.#deadlines.stop();
  }

  /** All have the same time, so the oldest is the first that is due. One that was told to go and has not gone yet is told in vain. */
  expire(now: number): number {
    for (const [connection, deadline] of this.#deadlineOf) {
      if (deadline > now) return deadline;
      connection.turnAway(
        `no accepted host.v1.hello within ${this.#timeoutMs} ms of connecting${connection.unfinished}`,
      );
    }
    return Infinity;
  }
}
