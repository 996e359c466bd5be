/** A JSON-RPC 2.0 endpoint over a channel without requests of its own: all that an extension is that only answers. */
import { Batch } from "./batch.ts";
import type { Channel, ChannelReceiver, Diagnostic } from "./channel.ts";
import { depthFault } from "./depth.ts";
import { connectionEnded, ExtensionError } from "./errors.ts";
import { IncomingRequests } from "./incoming.ts";
import { type Limits, withDefaultLimits } from "./limits.ts";
import { isObject, isRequestId, notificationText, type RequestId } from "./message.ts";
import type { OutgoingRequests } from "./outgoing.ts";
import type { PeerHandlers, PeerOptions } from "./peer_options.ts";
import { Refusals } from "./refusals.ts";
import { silent } from "./silent.ts";
import { guarded } from "./thrown.ts";
import { checkWritable, unsendable } from "./writable.ts";

/** One end of a JSON-RPC connection that answers and notifies. */
export class Answerer {
  /** What delivers to it: one object, where closures would be four. A host of many idle sessions holds few bytes for each. */
  static readonly #Inbound = class implements ChannelReceiver {
    readonly answerer: Answerer;

    constructor(answerer: Answerer) {
      this.answerer = answerer;
    }

    text(text: string, offset: number): void {
      this.answerer.#receive(text, offset);
    }

    binary(body: Uint8Array, offset: number, recycle: () => void): void {
      this.answerer.#receiveBinary(body, offset, recycle);
    }

    diagnostic(diagnostic: Diagnostic): void {
      this.answerer.#report(diagnostic);
    }

    closed(cause?: Error): void {
      if (cause === undefined) void this.answerer.#channel.close(this.answerer.#options.flushMs);
      void this.answerer.#lost(cause);
    }
  };

  readonly #channel: Channel;
  readonly #handlers: PeerHandlers;
  readonly #limits: Limits;
  readonly #options: PeerOptions;
  readonly #outgoing: OutgoingRequests | undefined;
  readonly #incoming: IncomingRequests;
  /** Made for the first message that is none. */
  #refusing: Refusals | undefined;
  #ended = false;
  #closing: Promise<void> | undefined;

  /** `outgoing` are the requests of this side, where it makes any. */
  constructor(channel: Channel, handlers: PeerHandlers = {}, options: PeerOptions = {}, outgoing?: OutgoingRequests) {
    this.#channel = channel;
    this.#handlers = handlers;
    this.#options = options;
    this.#limits = withDefaultLimits(options.limits);
    this.#outgoing = outgoing;
    this.#incoming = new IncomingRequests(channel, handlers, this.#limits);
    channel.open(new Answerer.#Inbound(this));
  }

  /** Requests of the other side that are being answered. */
  get serving(): number {
    return this.#incoming.size;
  }

  /**
   * Tells, without an answer. The promise need not be awaited: it settles when there is room for more,
   * and rejects (harmlessly if nobody listens) with `not-serializable`, `limit`, or the end of the connection.
   */
  notify(method: string, params?: unknown): Promise<void> {
    return silent(this.#notify(method, params));
  }

  async #notify(method: string, params: unknown): Promise<void> {
    if (this.#ended) throw new ExtensionError("closed", `${method} was not sent: the connection has ended`);
    try {
      const text = notificationText(method, params);
      checkWritable(text, this.#limits, this.#channel);
      this.#channel.send(text);
    } catch (cause) {
      throw unsendable(`the params of ${method}`, cause);
    }
    const room = this.#channel.room();
    if (room === undefined) return;
    await room;
    if (!this.#ended) return;
    throw new ExtensionError("closed", `${method} may not have arrived: the connection ended while it was queued`);
  }

  /** Undefined while there is room for more to be sent, else a promise that settles when there is, or when the connection has ended. */
  room(): Promise<void> | undefined {
    return this.#ended ? undefined : this.#channel.room();
  }

  /** Aborts the signal of a request of the other side with `reason`. False when there is none of that id. */
  cancel(id: RequestId, reason: Error): boolean {
    return this.#incoming.cancel(id, reason);
  }

  /** Rejects everything in flight with `reason` (default `closed`), writes what is queued, and closes within `graceMs` (default 1,000). Idempotent. */
  close(reason?: ExtensionError, graceMs?: number): Promise<void> {
    this.#closing ??= (async () => {
      const why = reason ?? new ExtensionError("closed", "the connection was closed on this side");
      const ending = this.#end(why, why);
      await this.#channel.close(graceMs);
      await ending;
    })();
    return this.#closing;
  }

  get #refusals(): Refusals {
    this.#refusing ??= new Refusals(this.#limits, this.#incoming, this.#outgoing, this.#options, (diagnostic) =>
      this.#report(diagnostic),
    );
    return this.#refusing;
  }

  /** `meanwhile`: what the handlers are told until the reason is known. */
  async #end(reason: ExtensionError | Promise<ExtensionError>, meanwhile: Error): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#incoming.end(meanwhile);
    this.#outgoing?.end(reason);
    const settled = await reason;
    guarded(() => this.#handlers.closed?.(settled), this.#handlers);
  }

  /** The other side ended it, or it broke. An explanation that fails is none: the calls in flight still have to end. */
  #lost(cause: Error | undefined): Promise<void> | undefined {
    if (this.#ended) return undefined;
    const plain = connectionEnded(cause);
    try {
      const reason = this.#options.explain?.(cause) ?? plain;
      if (reason instanceof ExtensionError) return this.#end(reason, reason);
      return this.#end(
        reason.catch(() => plain),
        plain,
      );
    } catch {
      return this.#end(plain, plain);
    }
  }

  // oxlint-disable-next-line no-unused-private-class-members -- #Inbound calls it.
  #receive(received: string, offset: number): void {
    if (this.#ended) return;
    const text = this.#options.redact?.(received) ?? received;
    const fault = depthFault(text, this.#limits.maxDepth);
    if (fault !== undefined) return this.#refusals.deep(fault, text, offset);
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (cause) {
      return this.#refusals.unparsable(text, offset, cause);
    }
    if (Array.isArray(message)) this.#dispatchBatch(message, text);
    else this.#dispatch(message, text, undefined);
  }

  /** By `method` first, then by `id`: a request, a notification or a response. */
  #dispatch(message: unknown, text: string, batch: Batch | undefined): void {
    if (!isObject(message)) return this.#refusals.invalid("a message must be an object", text, batch);
    const { jsonrpc, method, params, id, result, error } = message;
    // An id alone is an answer that lacks its result, as an undefined one is written: to answer it could go on for ever.
    const isBareId = id !== undefined && params === undefined;
    if (method === undefined && (result !== undefined || error !== undefined || isBareId)) {
      if (jsonrpc !== "2.0") this.#refusals.unversioned(message, text);
      else if (!this.#answered(id, result, error)) this.#refusals.answer(id, error !== undefined, text);
      return;
    }
    if (jsonrpc !== "2.0") return this.#refusals.invalid('jsonrpc must be "2.0"', text, batch, id);
    if (typeof method !== "string") return this.#refusals.invalid("method must be a string", text, batch, id);
    if (id === undefined) guarded(() => this.#handlers.notification?.(method, params), this.#handlers);
    else if (isRequestId(id)) this.#incoming.dispatch(id, method, params, batch);
    else this.#refusals.invalid("id must be a string or an integer within ±2^53", text, batch);
  }

  #answered(id: unknown, result: unknown, error: unknown): boolean {
    // Real extensions answer shutdown with id null; an error with id null, or while an answer is due, is a diagnostic (X-01, X-07, C16).
    if (id === null) return result !== undefined && error === undefined && !this.#outgoing?.size;
    return isRequestId(id) && this.#outgoing?.answer(id, result, error) === true;
  }

  #dispatchBatch(entries: unknown[], text: string): void {
    if (this.#options.batches === false) {
      return this.#refusals.invalid("batches are not supported: send one object per message", text, undefined);
    }
    if (entries.length === 0) return this.#refusals.invalid("an empty batch", text, undefined);
    const batch = new Batch(this.#limits, this.#channel);
    for (const entry of entries) this.#dispatch(entry, text, batch);
    batch.done();
  }

  // oxlint-disable-next-line no-unused-private-class-members -- #Inbound calls it.
  #receiveBinary(body: Uint8Array, offset: number, recycle: () => void): void {
    if (this.#handlers.binary) return guarded(() => this.#handlers.binary?.(body, offset, recycle), this.#handlers);
    recycle();
    this.#report({
      code: "unexpected-binary",
      message: `a binary message of ${body.length} bytes at offset ${offset} that nothing here expects`,
    });
  }

  #report(diagnostic: Diagnostic): void {
    guarded(() => this.#handlers.diagnostic?.(diagnostic), this.#handlers);
  }
}
