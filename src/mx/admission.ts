/** Who may come in through a gate: the token, the connections that are pending, and the one session that lives (M-10 to M-16, X-12, X-14). */
import type { Channel, Diagnostic } from "../rpc/channel.ts";
import { type ExtensionError, invalidParams, invalidRequest } from "../rpc/errors.ts";
import { type Limits, withDefaultLimits } from "../rpc/limits.ts";
import { guarded, hookFailed } from "../rpc/thrown.ts";
import { readHelloParams } from "./checks.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import type { MxGateOptions } from "./gate_options.ts";
import { PendingConnections } from "./pending_connections.ts";
import type { MxSession } from "./session.ts";
import { newSessionId } from "./session_id.ts";
import { Token } from "./token.ts";
import { type HelloResult, HOST_CAPABILITIES, MX_PROTOCOL_VERSION } from "./types.ts";
import type { VmRuntime } from "./vm_runtime.ts";

export class Admission implements ConnectionOwner {
  readonly token = new Token();
  readonly limits: Limits;
  readonly #options: MxGateOptions;
  /** Undefined while there are none, which is nearly always. */
  #pending: PendingConnections | undefined;
  #live: Connection | undefined;
  /** The process that the token was issued for is over, and so is the token. */
  #over = false;

  constructor(options: MxGateOptions) {
    this.#options = options;
    this.limits = withDefaultLimits(options.limits);
  }

  get vms(): VmRuntime {
    return this.#options.vms;
  }

  get statusTimeoutMs(): number {
    return this.#options.statusTimeoutMs ?? 5_000;
  }

  get session(): MxSession | undefined {
    return this.#live?.session;
  }

  /** A connection came. */
  arrive(channel: Channel): void {
    if (this.#over) return void channel.close(0);
    this.#pending ??= new PendingConnections(this.#options.helloTimeoutMs ?? 5_000);
    this.#pending.add(new Connection(channel, this));
  }

  /** Ends the token and every connection. */
  async end(reason: ExtensionError): Promise<void> {
    this.#over = true;
    const all = [...(this.#pending?.all() ?? []), ...(this.#live ? [this.#live] : [])];
    await Promise.all(all.map((connection) => connection.close(reason)));
  }

  hello(connection: Connection, params: unknown): HelloResult {
    const { id } = this.#options;
    const { token, protocolVersion, extensionId } = readHelloParams(params);
    if (protocolVersion !== MX_PROTOCOL_VERSION)
      throw invalidParams(`field \`protocolVersion\` must be ${MX_PROTOCOL_VERSION}, not ${protocolVersion}`);
    if (extensionId !== id) throw invalidParams("field `extensionId` must be the extension this socket was opened for");
    if (!this.token.equals(token)) throw invalidParams("hello token is not the token issued for this extension");
    if (this.#live) throw invalidRequest(`${id} has a live session already: close that connection first`);
    this.#live = connection;
    this.#forget(connection);
    const sessionId = newSessionId(id);
    return { protocolVersion: MX_PROTOCOL_VERSION, hostCapabilities: HOST_CAPABILITIES, sessionId };
  }

  welcome(session: MxSession): void {
    guarded(this.#options.onSession, this, this.#options, session);
  }

  explain(cause: Error | undefined): ExtensionError | Promise<ExtensionError> | undefined {
    return this.#options.explain?.(cause);
  }

  ended(connection: Connection): void {
    if (this.#live === connection) this.#live = undefined;
    this.#forget(connection);
  }

  gone(session: MxSession | undefined, reason: ExtensionError): void {
    if (session === undefined) this.#guard(() => this.#options.onRefused?.(reason));
  }

  diagnostic(diagnostic: Diagnostic): void {
    this.#guard(() => this.#tell(diagnostic));
  }

  redact(text: string): string {
    return this.token.redact(text);
  }

  secret(text: string): boolean {
    return this.token.mayBeIn(text);
  }

  #forget(connection: Connection): void {
    this.#pending?.delete(connection);
    if (this.#pending?.size === 0) this.#pending = undefined;
  }

  /** What a hook throws, now or later, stops nothing (C25). */
  #guard(hook: () => unknown): void {
    guarded(hook, this);
  }

  error(thrown: unknown): void {
    this.#tell(hookFailed(thrown));
  }

  #tell({ code, message }: Diagnostic): unknown {
    return this.#options.onDiagnostic?.({ code, message: this.token.redact(message) });
  }
}
