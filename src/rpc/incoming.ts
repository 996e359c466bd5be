/** The requests of the other side: each is answered once, alone or as a part of its batch. */
import type { Batch } from "./batch.ts";
import type { Channel } from "./channel.ts";
import { ErrorCode, methodNotFound, RpcError } from "./errors.ts";
import { IdTable } from "./id_table.ts";
import { LazyAbort } from "./lazy_abort.ts";
import type { Limits } from "./limits.ts";
import { type ErrorObject, errorText, type RequestId, resultText, toErrorObject } from "./message.ts";
import { isPromiseLike } from "./promise_like.ts";
import { Reply } from "./reply.ts";
import { checkWritable, unsendable } from "./writable.ts";

/** The request that a handler is answering. */
export interface RequestContext {
  readonly id: RequestId;
  /** Aborted by `Peer.cancel`, and when the connection ends. */
  readonly signal: AbortSignal;
}

/** Answers a request with what it returns or resolves to, or with the RpcError that it throws. */
export type RequestHandler = (method: string, params: unknown, context: RequestContext) => unknown;

/** Of the message of an error that does not fit, in characters. */
const BRIEF = 1_000;

class IncomingRequest extends LazyAbort implements RequestContext {
  readonly id: RequestId;
  readonly batch: Batch | undefined;

  constructor(id: RequestId, batch: Batch | undefined) {
    super();
    this.id = id;
    this.batch = batch;
  }
}

export class IncomingRequests {
  readonly #channel: Channel;
  readonly #handlers: { readonly request?: RequestHandler | undefined };
  readonly #limits: Limits;
  /** Made for the first request that is not answered at once. */
  #open: IdTable<IncomingRequest> | undefined;
  #ended = false;

  constructor(channel: Channel, handlers: { readonly request?: RequestHandler | undefined }, limits: Limits) {
    this.#channel = channel;
    this.#handlers = handlers;
    this.#limits = limits;
  }

  get size(): number {
    return this.#open?.size ?? 0;
  }

  dispatch(id: RequestId, method: string, params: unknown, batch: Batch | undefined): void {
    batch?.expect();
    if (this.#open?.get(id) !== undefined) {
      const message = `a request with the id ${JSON.stringify(id)} is still in flight`;
      return this.refuse(id, { code: ErrorCode.invalidRequest, message }, batch);
    }
    if (this.size >= this.#limits.maxInFlight) {
      const message = `more requests in flight than maxInFlight (${this.#limits.maxInFlight})`;
      return this.refuse(id, { code: ErrorCode.applicationError, message }, batch);
    }
    const request = new IncomingRequest(id, batch);
    let result: unknown;
    try {
      if (this.#handlers.request === undefined) throw methodNotFound(method);
      result = this.#handlers.request(method, params, request);
    } catch (thrown) {
      return this.refuse(id, toErrorObject(thrown), batch);
    }
    if (!isPromiseLike(result)) return this.#answer(request, method, result);
    const open = this.#hold(request);
    // Of a promise this makes nothing new; the `then` of anything else may throw or call twice.
    Promise.resolve(result).then(
      (value) => {
        open.delete(id);
        this.#answer(request, method, value);
      },
      (thrown: unknown) => {
        open.delete(id);
        this.refuse(id, toErrorObject(thrown), batch);
      },
    );
  }

  /** Answers with an error; `batch` has been told to expect it. */
  refuse(id: RequestId | null, error: ErrorObject, batch: Batch | undefined): void {
    let text = errorText(id, error);
    if (!this.#fits(text, batch)) {
      const brief = { code: error.code, message: error.message.slice(0, BRIEF) };
      text = errorText(id, brief);
      // An id can be as long as a message.
      if (!this.#fits(text, batch)) text = errorText(null, brief);
    }
    this.#reply(id, text, batch);
  }

  cancel(id: RequestId, reason: Error): boolean {
    const request = this.#open?.get(id);
    request?.abort(reason);
    return request !== undefined;
  }

  /** The connection is gone: handlers are told, and what they still return is dropped. */
  end(reason: Error): void {
    this.#ended = true;
    for (const request of this.#open?.values() ?? []) {
      this.#open?.delete(request.id);
      request.abort(reason);
    }
  }

  /** It is in flight until it is taken out of what this returns. */
  #hold(request: IncomingRequest): IdTable<IncomingRequest> {
    this.#open ??= new IdTable();
    this.#open.add(request);
    return this.#open;
  }

  /** A full queue makes answers wait as it does requests: meanwhile they count as in flight. */
  #answer(request: IncomingRequest, method: string, result: unknown): void {
    const room = this.#ended ? undefined : this.#channel.room();
    if (room !== undefined) {
      const open = this.#hold(request);
      void room.then(() => {
        open.delete(request.id);
        this.#answer(request, method, result);
      });
      return;
    }
    const reply = result instanceof Reply ? result : undefined;
    const text = this.#resultText(request, method, reply ? reply.result : result);
    const isQueued = text !== undefined && !this.#ended;
    // In a batch it waits for the others: there alone what comes behind it is first.
    if (isQueued) this.#reply(request.id, text, request.batch);
    reply?.done(isQueued);
  }

  /** Undefined when the result can't be sent, which has been answered then. */
  #resultText(request: IncomingRequest, method: string, result: unknown): string | undefined {
    try {
      const text = resultText(request.id, result);
      this.#check(text, request.batch);
      return text;
    } catch (cause) {
      const { message } = unsendable(`the result of ${method}`, cause);
      this.refuse(request.id, new RpcError(ErrorCode.internalError, message), request.batch);
      return undefined;
    }
  }

  #check(text: string, batch: Batch | undefined): void {
    checkWritable(text, batch?.limits ?? this.#limits, this.#channel);
  }

  #fits(text: string, batch: Batch | undefined): boolean {
    try {
      this.#check(text, batch);
      return true;
    } catch {
      return false;
    }
  }

  #reply(id: RequestId | null, text: string, batch: Batch | undefined): void {
    if (this.#ended) return;
    if (batch) batch.add(id, text);
    else this.#channel.send(text);
  }
}
