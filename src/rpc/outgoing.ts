/** The requests this side makes: their ids, places in flight, deadlines and answers. */
import { AbortGroups } from "./abort_groups.ts";
import type { Channel } from "./channel.ts";
import { Deadlines } from "./deadlines.ts";
import { ExtensionError, RpcError } from "./errors.ts";
import { GivenUp } from "./given_up.ts";
import { IdTable } from "./id_table.ts";
import type { Limits } from "./limits.ts";
import { isErrorObject, type RequestId, requestText } from "./message.ts";
import { badAnswer, lateError } from "./no_answer.ts";
import { type ErrorHook, guarded } from "./thrown.ts";
import { checkWritable, unsendable } from "./writable.ts";

/** Timeout, cancelling and hooks of one request. */
export interface RequestOptions {
  /** The timeout, in ms; 0 means none. Default: the peer's. */
  readonly timeoutMs?: number | undefined;
  /** When aborted, the request rejects with `signal.reason` at once. Nothing is sent: use `onAbort` to cancel as the protocol does. */
  readonly signal?: AbortSignal | undefined;
  /** Called when `signal` ended a request that had already been sent. */
  readonly onAbort?: (() => void) | undefined;
  /** Called with the id just before the request is queued for writing. */
  readonly onSend?: ((id: number) => void) | undefined;
  /**
   * Converts the result into what the request resolves with. If it throws, the request rejects with that error. It may return
   * a promise if more must arrive first: the request stays in flight until that settles.
   */
  readonly parse?: ((result: unknown) => unknown) | undefined;
  /**
   * Called when the answer breaks the protocol or a limit, or the connection ended before it came. Returns the error with which
   * the request rejects.
   */
  readonly onFailure?: ((error: ExtensionError) => ExtensionError) | undefined;
  /**
   * Called when the time is up (D-13). The request rejects with `error` once the returned promise has settled; if that rejects
   * with an ExtensionError, the request rejects with it instead.
   */
  readonly onTimeout?: ((error: ExtensionError) => Promise<unknown> | undefined) | undefined;
  /** Called once, before the request resolves or rejects, when it is no longer in flight or waiting for a place. */
  readonly onSettled?: (() => void) | undefined;
}

interface Call {
  /** 0 until it has a place in flight. */
  id: number;
  readonly method: string;
  readonly params: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  readonly timeoutMs: number;
  readonly deadline: number;
  readonly options: RequestOptions | undefined;
  /** Its answer came, and more has to. */
  isAnswered: boolean;
}

export class OutgoingRequests {
  readonly #channel: Channel;
  readonly #handlers: ErrorHook;
  readonly #limits: Limits;
  readonly #timeoutMs: number;
  /** Sent and not answered. */
  readonly #sent = new IdTable<Call>();
  /** Without a place in flight, or without room in the channel's queue. */
  #waiting: Set<Call> | undefined;
  readonly #deadlines = new Deadlines(this);
  /** Made for the first signal. */
  #aborts: AbortGroups | undefined;
  #lastId = 0;
  /** Whose answers may come late, which is nobody's fault; made for the first. */
  #givenUp: GivenUp | undefined;
  #awaitsRoom = false;
  #reason: ExtensionError | Promise<ExtensionError> | undefined;

  constructor(channel: Channel, handlers: ErrorHook, limits: Limits, timeoutMs: number) {
    this.#channel = channel;
    this.#handlers = handlers;
    this.#limits = limits;
    this.#timeoutMs = timeoutMs;
  }

  get size(): number {
    return this.#sent.size + (this.#waiting?.size ?? 0);
  }

  request(method: string, params: unknown, options: RequestOptions | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const signal = options?.signal;
      if (signal?.aborted) return reject(signal.reason);
      if (this.#reason !== undefined) return void Promise.resolve(this.#reason).then(reject);
      const timeoutMs = options?.timeoutMs ?? this.#timeoutMs;
      const deadline = timeoutMs > 0 ? performance.now() + timeoutMs : Infinity;
      const call: Call = { id: 0, method, params, resolve, reject, timeoutMs, deadline, options, isAnswered: false };
      if (signal) {
        this.#aborts ??= new AbortGroups((aborted) => this.#abort(aborted));
        this.#aborts.add(signal);
      }
      this.#deadlines.watch(deadline);
      if (this.#waiting?.size || !this.#hasPlace()) (this.#waiting ??= new Set()).add(call);
      else this.#send(call);
    });
  }

  /** Takes the answer to `id`. False when no such request waits for one, and none was given up before one came. */
  answer(id: RequestId, result: unknown, error: unknown): boolean {
    const call = this.#sent.get(id);
    if (call === undefined || call.isAnswered) return this.#answerUnknown(id);
    if (result !== undefined && error === undefined) this.#read(call, result);
    else {
      this.#forget(call);
      if (isErrorObject(error) && result === undefined)
        call.reject(new RpcError(error.code, error.message, error.data));
      else this.#rejectWith(call, badAnswer(call.method, result, error));
    }
    this.#sendWaiting();
    return true;
  }

  #read(call: Call, result: unknown): void {
    let read = result;
    try {
      if (call.options?.parse) read = call.options.parse(result);
    } catch (error) {
      this.#forget(call);
      return call.reject(error);
    }
    if (!(read instanceof Promise)) {
      this.#forget(call);
      return call.resolve(read);
    }
    call.isAnswered = true;
    const over = () => {
      if (this.#forget(call)) call.resolve(read);
      this.#sendWaiting();
    };
    read.then(over, over);
  }

  /** Rejects one request, if it is still in flight. */
  fail(id: RequestId, error: ExtensionError): boolean {
    const call = this.#sent.get(id);
    if (call === undefined) return false;
    this.#forget(call);
    this.#rejectWith(call, error);
    this.#sendWaiting();
    return true;
  }

  /** Rejects `call` with what its owner makes of `error`. */
  #rejectWith({ options, reject }: Call, error: ExtensionError): void {
    let told = error;
    guarded(() => {
      told = options?.onFailure?.(error) ?? error;
    }, this.#handlers);
    reject(told);
  }

  /** Nothing more can be answered. What is in flight, and what is asked from now on, rejects with the reason. */
  end(reason: ExtensionError | Promise<ExtensionError>): void {
    this.#reason = reason;
    this.#deadlines.stop();
    const calls = this.#all();
    for (const call of calls) this.#forget(call);
    this.#aborts?.clear();
    const rejectAll = (error: ExtensionError) => {
      for (const call of calls) this.#rejectWith(call, error);
    };
    if (reason instanceof ExtensionError) rejectAll(reason);
    else void reason.then(rejectAll);
  }

  /** In the order in which they were made. */
  #all(): Call[] {
    const sent = this.#sent.values().sort((a, b) => a.id - b.id);
    return this.#waiting ? [...sent, ...this.#waiting] : sent;
  }

  #hasPlace(): boolean {
    if (this.#sent.size >= this.#limits.maxInFlight) return false;
    const room = this.#channel.room();
    if (room === undefined) return true;
    if (!this.#awaitsRoom) {
      this.#awaitsRoom = true;
      void room.then(() => {
        this.#awaitsRoom = false;
        this.#sendWaiting();
      });
    }
    return false;
  }

  #sendWaiting(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    for (const call of waiting) {
      if (!this.#hasPlace()) return;
      waiting.delete(call);
      this.#send(call);
    }
    this.#waiting = undefined;
  }

  #send(call: Call): void {
    const id = this.#lastId + 1;
    let text: string;
    try {
      text = requestText(id, call.method, call.params);
      checkWritable(text, this.#limits, this.#channel);
    } catch (cause) {
      this.#settle(call);
      call.reject(unsendable(`the params of ${call.method}`, cause));
      return;
    }
    this.#lastId = id;
    call.id = id;
    this.#sent.add(call);
    const { options } = call;
    if (options?.onSend) guarded(options.onSend, this.#handlers, options, id);
    this.#channel.send(text);
  }

  /** False for a call that has ended already: what ends one may end others. */
  #forget(call: Call): boolean {
    const known = call.id === 0 ? this.#waiting?.delete(call) === true : this.#sent.delete(call.id);
    if (known) this.#settle(call);
    return known;
  }

  #settle({ options }: Call): void {
    if (options === undefined) return;
    if (options.signal) this.#aborts?.delete(options.signal);
    if (options.onSettled) guarded(options.onSettled, this.#handlers, options);
  }

  #abort(signal: AbortSignal): void {
    for (const call of this.#all()) {
      const { options } = call;
      if (options?.signal !== signal || !this.#forget(call)) continue;
      this.#giveUp(call);
      call.reject(signal.reason);
      if (call.id !== 0 && options.onAbort) guarded(options.onAbort, this.#handlers, options);
    }
    this.#sendWaiting();
  }

  /** For its deadlines only. */
  expire(now: number): number {
    let next = Infinity;
    const late: Call[] = [];
    for (const call of this.#all()) {
      if (call.deadline > now) next = Math.min(next, call.deadline);
      else if (this.#forget(call)) late.push(call);
    }
    // Asked once for all: to tell of a long line reads all of it.
    const unfinished = late.length > 0 ? this.#channel.unfinished?.() : undefined;
    for (const call of late) {
      this.#giveUp(call);
      void rejectAfter(call, lateError(call, unfinished));
    }
    this.#sendWaiting();
    return next;
  }

  #giveUp({ id }: Call): void {
    if (id !== 0) (this.#givenUp ??= new GivenUp(this.#limits.maxInFlight)).add(id);
  }

  /** Of a request that neither waits for its answer nor was given up: whether there was one, which was answered then. */
  wasAnswered(id: unknown): boolean {
    return typeof id === "number" && id > 0 && id <= this.#lastId;
  }

  /** A late answer is dropped without noise. "1" is not 1, but who answers it will never answer 1 (C1). */
  #answerUnknown(id: RequestId): boolean {
    if (typeof id === "number") return this.#givenUp?.has(id) === true;
    const meant = Number(id);
    if (String(meant) !== id || this.#sent.get(meant) === undefined) return false;
    const message = `request ${meant} was answered with the id ${JSON.stringify(id)}, a string: an id must come back with its type`;
    return this.fail(meant, new ExtensionError("protocol", message));
  }
}

/** Rejects `call` with `error` when what is to be done about its timeout is done (D-13), or has failed. */
async function rejectAfter({ options, reject }: Call, error: ExtensionError): Promise<void> {
  let told = error;
  try {
    await options?.onTimeout?.(error);
  } catch (better) {
    if (better instanceof ExtensionError) told = better;
  }
  reject(told);
}
