/** One call of a tool, seen from its handler. */
import type { Answerer } from "../rpc/answerer.ts";
import type { RequestContext } from "../rpc/incoming.ts";
import type { RequestId } from "../rpc/message.ts";
import type { ToolContext } from "./define.ts";
import type { ToolCallId } from "./types.ts";

/** What a handler sees of its call. The costly parts are made when they are read. */
export class Call implements ToolContext {
  readonly toolCallId: ToolCallId | undefined;
  readonly cwd: string | undefined;
  settled = false;
  readonly #request: RequestContext;
  readonly #peer: Answerer;

  constructor(request: RequestContext, peer: Answerer, toolCallId: ToolCallId | undefined, cwd: string | undefined) {
    this.#request = request;
    this.#peer = peer;
    this.toolCallId = toolCallId;
    this.cwd = cwd;
  }

  get id(): RequestId {
    return this.#request.id;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** A function of its own, for handlers take it out of the context. */
  get progress(): (message: string) => void {
    return (message) => {
      if (this.settled) return;
      // A number, as JavaScript may pass, is no message to a host.
      void this.#peer.notify("progress", { message: String(message), toolCallId: this.toolCallId });
    };
  }

  cancel(reason: Error): void {
    this.#peer.cancel(this.id, reason);
  }
}
