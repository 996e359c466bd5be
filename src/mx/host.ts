/** The host's side of MX v1. */
import type { Codec } from "../../codec/codec.ts";
import type { Channel, Diagnostic } from "../rpc/channel.ts";
import { Deadlines } from "../rpc/deadlines.ts";
import { ErrorCode, ExtensionError, RpcError } from "../rpc/errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../rpc/limits.ts";
import type { PeerOptions } from "../rpc/peer.ts";
import type { Pipe } from "../rpc/pipe.ts";
import { pipeChannel } from "../rpc/pipe_channel.ts";
import { readHelloParams } from "./checks.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import type { MxSession } from "./session.ts";
import { newSessionId, Token } from "./token.ts";
import { type HelloResult, HOST_CAPABILITIES, MX_PROTOCOL_VERSION, MxVariable } from "./types.ts";
import type { VmRuntime } from "./vm_runtime.ts";

export { MxSession } from "./session.ts";

/** Whom the gate lets in, what it serves them, and its times, limits and hooks. */
export interface MxGateOptions {
  /** The extension this gate is for (M-13). */
  readonly id: string;
  readonly codec: Codec;
  readonly vms: VmRuntime;
  readonly limits?: Partial<Limits> | undefined;
  /** From the connection to its accepted hello, in ms. Default 5,000. */
  readonly helloTimeoutMs?: number | undefined;
  /** For `reportStatus`, in ms (M-17). Default 5,000. */
  readonly statusTimeoutMs?: number | undefined;
  /** Makes the error that everything in flight of a session rejects with, see `PeerOptions.explain`. */
  readonly explain?: PeerOptions["explain"];
  /** Called when a hello was accepted and its answer is on its way: the time to ask for the status (M-17). */
  readonly onSession: (session: MxSession) => unknown;
  /** Something arrived that was no message, or that was skipped. Never holds any of the token. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** A connection ended without a session: why. Never holds any of the token. */
  readonly onRefused?: ((reason: ExtensionError) => void) | undefined;
}

/** Stands for the deadline of a stranger that was told to go and has not gone yet. */
const REFUSED = -1;

/**
 * Lets the one process in that was given the token, one live session at a time (M-10 to M-16, X-12, X-14).
 * Made for one extension process: its token dies with `close`.
 *
 * @example
 * ```ts
 * import { MxGate, testPattern } from "extwire";
 * import { node } from "extwire/node";
 * const platform = node();
 * const gate = new MxGate({
 *   id: "com.example.one",
 *   codec: platform.codec(),
 *   vms: testPattern(),
 *   onSession: async (session) => console.log(await session.reportStatus()),
 * });
 * const listener = await platform.listen((pipe) => gate.accept(pipe));
 * // What the process is started with.
 * console.log(Object.keys(gate.environment(listener.address)).length); // 4
 * await listener.close();
 * await gate.close();
 * ```
 */
export class MxGate {
  readonly #id: string;
  readonly #codec: Codec;
  readonly #options: MxGateOptions;
  readonly #owner: ConnectionOwner;
  readonly #token = new Token();
  readonly #helloTimeoutMs: number;
  /** Not accepted yet, the oldest first, with the time at which it must be. */
  readonly #strangers = new Map<Connection, number>();
  readonly #deadlines = new Deadlines((now) => this.#sweep(now));
  #live: Connection | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: MxGateOptions) {
    this.#id = options.id;
    this.#codec = options.codec;
    this.#options = options;
    this.#helloTimeoutMs = options.helloTimeoutMs ?? 5_000;
    this.#owner = {
      vms: options.vms,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      statusTimeoutMs: options.statusTimeoutMs ?? 5_000,
      explain: options.explain,
      hello: (connection, params) => this.#hello(connection, params),
      welcome: (session) => this.#guard(() => options.onSession(session)),
      ended: (connection) => this.#ended(connection),
      gone: (session, reason) => {
        if (session === undefined) this.#guard(() => options.onRefused?.(reason));
      },
      diagnostic: (diagnostic) => this.#diagnostic(diagnostic),
      secret: (text) => this.#token.mayBeIn(text),
    };
  }

  /** The variables that the process must find, and nobody else may see (M-14, M-20). `address` is `127.0.0.1:port`. */
  environment(address: string): Record<string, string> {
    return {
      [MxVariable.host]: address,
      [MxVariable.token]: this.#token.reveal(),
      [MxVariable.id]: this.#id,
      [MxVariable.protocol]: String(MX_PROTOCOL_VERSION),
    };
  }

  /** Takes a new connection: what `platform.listen` is given. */
  accept(pipe: Pipe): void {
    this.attach(pipeChannel(pipe, this.#codec, "frames", this.#owner.limits));
  }

  /** Takes a new connection that is a channel already. */
  attach(channel: Channel): void {
    if (this.#closing) {
      void channel.close(0);
      return;
    }
    const connection = new Connection(channel, this.#owner);
    const deadline = this.#deadlines.now() + this.#helloTimeoutMs;
    this.#strangers.set(connection, deadline);
    this.#deadlines.watch(deadline);
  }

  /** The session that is live, if one is. */
  get session(): MxSession | undefined {
    return this.#live?.session;
  }

  /** Ends the token and every connection. Settles within a second; idempotent. */
  close(reason: ExtensionError = new ExtensionError("closed", "the host closed the connection")): Promise<void> {
    this.#token.revoke();
    this.#closing ??= (async () => {
      this.#deadlines.stop();
      const all = [...this.#strangers.keys(), ...(this.#live ? [this.#live] : [])];
      await Promise.all(all.map((connection) => connection.close(reason)));
    })();
    return this.#closing;
  }

  #hello(connection: Connection, params: unknown): HelloResult {
    const { token, protocolVersion, extensionId } = readHelloParams(params);
    if (protocolVersion !== MX_PROTOCOL_VERSION) {
      throw new RpcError(
        ErrorCode.invalidParams,
        `field \`protocolVersion\` must be ${MX_PROTOCOL_VERSION}, not ${protocolVersion}`,
      );
    }
    if (extensionId !== this.#id) {
      throw new RpcError(
        ErrorCode.invalidParams,
        `field \`extensionId\` must be the extension this socket was opened for`,
      );
    }
    if (!this.#token.equals(token)) {
      throw new RpcError(ErrorCode.invalidParams, "hello token is not the token issued for this extension");
    }
    if (this.#live) {
      throw new RpcError(
        ErrorCode.invalidRequest,
        `${this.#id} has a live session already: close that connection first`,
      );
    }
    this.#live = connection;
    this.#forget(connection);
    return {
      protocolVersion: MX_PROTOCOL_VERSION,
      hostCapabilities: HOST_CAPABILITIES,
      sessionId: newSessionId(this.#id),
    };
  }

  #ended(connection: Connection): void {
    if (this.#live === connection) this.#live = undefined;
    this.#forget(connection);
  }

  #forget(connection: Connection): void {
    this.#strangers.delete(connection);
    if (this.#strangers.size === 0) this.#deadlines.stop();
  }

  /** All have the same time, so the oldest is the first that is due. */
  #sweep(now: number): number {
    for (const [connection, deadline] of this.#strangers) {
      if (deadline === REFUSED) continue;
      if (deadline > now) return deadline;
      this.#strangers.set(connection, REFUSED);
      connection.refuse(`no accepted host.v1.hello within ${this.#helloTimeoutMs} ms of connecting`);
    }
    return Infinity;
  }

  #diagnostic(diagnostic: Diagnostic): void {
    const { code, message } = diagnostic;
    this.#guard(() => this.#options.onDiagnostic?.({ code, message: this.#token.redact(message) }));
  }

  /** What a hook throws, now or later, stops nothing (C25). */
  #guard(hook: () => unknown): void {
    const report = (error: unknown) => this.#hookFailed(error);
    try {
      const result = hook();
      if (result instanceof Promise) result.catch(report);
    } catch (error) {
      report(error);
    }
  }

  #hookFailed(error: unknown): void {
    const message = `a listener failed: ${error instanceof Error ? error.message : String(error)}`;
    try {
      this.#options.onDiagnostic?.({ code: "hook-failed", message: this.#token.redact(message) });
    } catch {
      // There is nobody left to tell.
    }
  }
}
