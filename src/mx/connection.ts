/** One connection to a gate: pending until its hello is accepted, a session from then on (M-10, X-12). */

import type { BinaryMessage, Channel, Diagnostic } from "../rpc/channel.ts";
import { connectionEnded, ErrorCode, ExtensionError, invalidRequest, methodNotFound, RpcError } from "../rpc/errors.ts";
import type { Limits } from "../rpc/limits.ts";
import { Peer, type PeerHandlers, type PeerOptions, type RequestContext } from "../rpc/peer.ts";
import { Reply } from "../rpc/reply.ts";
import { hookFailed, messageOf } from "../rpc/thrown.ts";
import { refuse, unknownNotification } from "../rpc/unserved.ts";
import { checkBinary } from "../rpc/writable.ts";
import { readAttachment, unexpectedAttachment } from "./attachment.ts";
import { type Outlet, RuntimeMethods } from "./runtime_methods.ts";
import { MxSession, type SessionConnection } from "./session.ts";
import { type HelloResult, MxMethod } from "./types.ts";
import type { VmRuntime } from "./vm_runtime.ts";

/** What a connection asks of the gate that accepted it. */
export interface ConnectionOwner {
  readonly vms: VmRuntime;
  readonly limits: Limits;
  readonly statusTimeoutMs: number;
  /** Why a session's connection ended, if the host knows better. */
  explain(cause: Error | undefined): ExtensionError | Promise<ExtensionError> | undefined;
  /** Decides on a hello; throws the RpcError to refuse it with. */
  hello(connection: Connection, params: unknown): HelloResult;
  /** Called when the hello's answer is on its way. */
  welcome(session: MxSession): void;
  /** The connection is over: its place is free, though the reason may still be looked for. */
  ended(connection: Connection): void;
  /** The reason is known. It was still pending if `session` is undefined. */
  gone(session: MxSession | undefined, reason: ExtensionError): void;
  diagnostic(diagnostic: Diagnostic): void;
  /** `text` without the token. */
  redact(text: string): string;
  /** Whether nothing of `text` may be shown. */
  secret(text: string): boolean;
}

const HELLO_WITHOUT_ID: Diagnostic = {
  code: "unknown-notification",
  message: "host.v1.hello came without an id and was dropped: a request needs one",
};

/** It is its peer's handlers and options itself: many sessions idle in one host, and each closure counts. */
export class Connection implements PeerHandlers, PeerOptions, SessionConnection, Outlet {
  readonly batches = false;
  readonly #owner: ConnectionOwner;
  readonly #channel: Channel;
  readonly #peer: Peer;
  #session: MxSession | undefined;
  #methods: RuntimeMethods | undefined;
  /** Why it was turned away. */
  #refusal: ExtensionError | undefined;
  /** Made for whoever waits for it. */
  #closed: Promise<ExtensionError> | undefined;
  #resolveClosed: ((reason: ExtensionError) => void) | undefined;
  #reason: ExtensionError | undefined;

  constructor(channel: Channel, owner: ConnectionOwner) {
    this.#owner = owner;
    this.#channel = channel;
    channel.setMaxMessageBytes(owner.limits.maxHelloBytes, "maxHelloBytes");
    this.#peer = new Peer(channel, this, this);
  }

  get limits(): Limits {
    return this.#owner.limits;
  }

  get session(): MxSession | undefined {
    return this.#session;
  }

  get statusTimeoutMs(): number {
    return this.#owner.statusTimeoutMs;
  }

  /** Resolves with the reason when the connection has ended. */
  whenClosed(): Promise<ExtensionError> {
    this.#closed ??= new Promise((resolve) => {
      if (this.#reason) resolve(this.#reason);
      else this.#resolveClosed = resolve;
    });
    return this.#closed;
  }

  /** What of a message has come whose end has not, behind a semicolon for an error; empty between messages. */
  get unfinished(): string {
    const what = this.#channel.unfinished?.();
    return what === undefined ? "" : `; ${what}`;
  }

  /** Turns it away while it is pending, once what is queued for it was written. Idempotent: the first reason stands. */
  turnAway(why: string): void {
    if (this.#refusal) return;
    this.#refusal = new ExtensionError("handshake-failed", why);
    // The answer that says so is queued after this call.
    queueMicrotask(() => void this.#peer.close(this.#refusal));
  }

  close(reason: ExtensionError): Promise<void> {
    return this.#peer.close(reason);
  }

  request(method: string, params: unknown, context: RequestContext): unknown {
    if (this.#session === undefined) return this.#firstRequest(method, params);
    try {
      const result = this.#serve(method, params, context);
      return result instanceof Promise ? result.catch((error: unknown) => this.#refused(method, error)) : result;
    } catch (error) {
      return this.#refused(method, error);
    }
  }

  #refused(method: string, error: unknown): never {
    return refuse(method, error, (diagnostic) => this.#owner.diagnostic(diagnostic));
  }

  notification(method: string): void {
    const hello = method === MxMethod.hello;
    this.#owner.diagnostic(hello ? HELLO_WITHOUT_ID : unknownNotification(method));
  }

  #serve(method: string, params: unknown, context: RequestContext): unknown {
    switch (method) {
      case MxMethod.hello:
        throw invalidRequest("host.v1.hello is only valid as the first message on a new connection");
      case MxMethod.listVms:
        return this.#runtime().listVms();
      case MxMethod.captureFramebuffer:
        return this.#runtime().captureFramebuffer(params, context);
      default:
        throw methodNotFound(method);
    }
  }

  #firstRequest(method: string, params: unknown): Reply {
    try {
      if (this.#refusal || method !== MxMethod.hello) {
        throw invalidRequest("host.v1.hello must be the first message on a new connection");
      }
      const result = this.#owner.hello(this, params);
      const session = this.#begin(result.sessionId);
      // What a session asks at once comes behind the answer to its hello.
      return new Reply(result, () => this.#owner.welcome(session));
    } catch (error) {
      this.turnAway(messageOf(error));
      throw error;
    }
  }

  #begin(sessionId: string): MxSession {
    const session = new MxSession(sessionId, this.#peer, this);
    this.#session = session;
    this.#peer.setMaxMessageBytes(this.#owner.limits.maxMessageBytes);
    return session;
  }

  checkAttachment(message: BinaryMessage): void {
    try {
      checkBinary(
        message,
        `the attachment to the result of ${MxMethod.captureFramebuffer}`,
        this.limits,
        this.#channel,
      );
    } catch (error) {
      throw new RpcError(ErrorCode.internalError, messageOf(error));
    }
  }

  sendAttachment(message: BinaryMessage): Promise<void> {
    return this.#peer.sendBinary(message);
  }

  #runtime(): RuntimeMethods {
    this.#methods ??= new RuntimeMethods(this.#owner.vms, this, (error) => this.error(error));
    return this.#methods;
  }

  /** Once the hello has shown the token there is nobody left who must read it. */
  redact(text: string): string {
    return this.#session === undefined ? text : this.#owner.redact(text);
  }

  secret(text: string): boolean {
    return this.#session === undefined || this.#owner.secret(text);
  }

  /** Nothing an extension can ask for yet comes with one, but a malformed one is a fault all the same. */
  binary(body: Uint8Array, offset: number, recycle: () => void): void {
    try {
      this.#owner.diagnostic(unexpectedAttachment(readAttachment(body, offset)));
    } catch (error) {
      void this.#peer.close(error as ExtensionError);
    }
    recycle();
  }

  diagnostic(diagnostic: Diagnostic): void {
    this.#owner.diagnostic(diagnostic);
    if (this.#session === undefined && (diagnostic.code === "invalid-json" || diagnostic.code === "not-a-message"))
      this.turnAway(diagnostic.message);
  }

  explain(cause: Error | undefined): ExtensionError | Promise<ExtensionError> {
    this.#owner.ended(this);
    return (this.#session && this.#owner.explain(cause)) ?? connectionEnded(cause);
  }

  error(error: unknown): void {
    this.#owner.diagnostic(hookFailed(error));
  }

  closed(reason: ExtensionError): void {
    this.#owner.ended(this);
    this.#reason = reason;
    this.#owner.gone(this.#session, reason);
    this.#resolveClosed?.(reason);
  }
}
