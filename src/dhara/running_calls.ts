/** What the calls of one session share: their numbers, who hears of progress, how one is cancelled, and what a timeout stops. */
import { IdTable } from "../rpc/id_table.ts";
import type { Peer } from "../rpc/peer.ts";
import { type ErrorHook, guarded } from "../rpc/thrown.ts";

/** Before the number of a call in its `toolCallId`. */
export const CALL = "call-";

/** A call that wants to hear of progress. */
interface Listener {
  readonly id: number;
  tell(message: string): unknown;
}

export class RunningCalls {
  /** Of the session. */
  readonly extension: string;
  /** Stops the extension, once for all of its calls. Resolves with how it ended where that is known (D-13). */
  readonly stop: () => Promise<unknown>;
  readonly #peer: Peer;
  readonly #errors: ErrorHook;
  /** Those in flight that want to hear of progress. */
  readonly listening = new IdTable<Listener>();
  #lastId = 0;

  constructor(extension: string, peer: Peer, stop: () => Promise<unknown>, errors: ErrorHook) {
    this.extension = extension;
    this.stop = stop;
    this.#peer = peer;
    this.#errors = errors;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  /** Whether there was ever such a call: what names another is a mistake, what names one that is over is only late. */
  knows(toolCallId: unknown): boolean {
    const id = callNumber(toolCallId);
    return id >= 1 && id <= this.#lastId;
  }

  /** To the call that is named, or with null to every call in flight. What names a call that is over is late, and dropped. */
  tell(toolCallId: unknown, message: string): void {
    // A listener may start further calls, which this message is not for.
    const told = toolCallId === null ? this.listening.values() : [this.listening.get(callNumber(toolCallId))];
    for (const call of told) if (call) guarded(call.tell, this.#errors, call, message);
  }

  /** Tells the extension to give it up. */
  cancel(id: number): void {
    void this.#peer.notify("tools/cancel", { toolCallId: `${CALL}${id}` });
  }
}

/** NaN where it is none of ours. */
function callNumber(toolCallId: unknown): number {
  if (typeof toolCallId !== "string" || !toolCallId.startsWith(CALL)) return Number.NaN;
  return Number(toolCallId.slice(CALL.length));
}
