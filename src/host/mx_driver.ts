/** An MX extension: the process dials back to a port that listens for it alone. */
import { MxGate, type MxSession } from "../mx/host.ts";
import { withoutTokens } from "../mx/token.ts";
import { type ExtensionStatus, MxMethod, MxVariable } from "../mx/types.ts";
import type { VmRuntime } from "../mx/vm_runtime.ts";
import { answeredWith, ExtensionError, RpcError } from "../rpc/errors.ts";
import type { Pipe } from "../rpc/pipe.ts";
import { pipeChannel } from "../rpc/pipe_channel.ts";
import { messageOf } from "../rpc/thrown.ts";
import { traceChannel, withText } from "../rpc/trace.ts";
import type { Driver, DriverHooks } from "./driver.ts";
import type { ExtensionProcess, Listener, Platform } from "./platform.ts";

export class MxDriver implements Driver {
  readonly #hooks: DriverHooks;
  readonly #platform: Platform;
  readonly #gate: MxGate;
  readonly #startTimeoutMs: number;
  #listener: Listener | undefined;
  #session: MxSession | undefined;
  /** Settles the handshake. */
  #dialled: ((session: MxSession) => void) | undefined;
  /** Runs out when nobody dials: at the start, or after a connection that ended. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #refusal: string | undefined;
  #asking: Promise<ExtensionStatus> | undefined;
  #closed = false;

  constructor(hooks: DriverHooks, platform: Platform, vms: VmRuntime) {
    const { manifest, codec, limits } = hooks;
    this.#hooks = hooks;
    this.#platform = platform;
    this.#startTimeoutMs = manifest.startTimeoutMs ?? 30_000;
    this.#gate = new MxGate({
      id: manifest.id,
      codec,
      vms,
      limits,
      explain: (cause) => hooks.explain(cause),
      onSession: (session) => this.#began(session),
      onDiagnostic: (diagnostic) => hooks.diagnostic(diagnostic),
      onRefused: (reason) => this.#refused(reason),
    });
  }

  get usable(): boolean {
    return this.#session !== undefined;
  }

  get session(): MxSession | undefined {
    return this.#session;
  }

  get refusal(): string | undefined {
    return this.#refusal;
  }

  get drained(): Promise<unknown> | undefined {
    return this.#session?.closed;
  }

  async prepare(): Promise<Readonly<Record<string, string>>> {
    this.#listener = await this.#platform.listen((pipe) => this.#accept(pipe));
    const variables = this.#gate.environment(this.#listener.address);
    this.#hooks.secret(variables[MxVariable.token]);
    return variables;
  }

  async handshake({ stdio }: ExtensionProcess): Promise<void> {
    stdio.open({ data: (chunk) => this.#hooks.stdout(chunk), end() {} });
    if (this.#session === undefined) {
      await new Promise<MxSession>((resolve, reject) => {
        this.#dialled = resolve;
        this.#expectDial(() => reject(this.#nobodyCame()));
      });
    }
    await this.reportStatus().catch((error: unknown) => {
      throw statusFault(error);
    });
  }

  /** Asks, and tells the run what comes of it. Never rejects. */
  async poll(): Promise<void> {
    await this.reportStatus().catch((error: unknown) => this.#silent(error));
  }

  /** Asks for the status and tells the run (M-17). Rejects as `MxSession.reportStatus` does. One question at a time. */
  reportStatus(): Promise<ExtensionStatus> {
    const session = this.#session;
    if (session === undefined)
      return Promise.reject(
        new ExtensionError("disconnected", `extension '${this.#hooks.manifest.id}' is not connected`),
      );
    this.#asking ??= session
      .reportStatus()
      .then((status) => {
        if (this.#session === session) this.#hooks.status(status);
        return status;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  shutdown(graceMs: number): boolean {
    if (this.#session === undefined) return false;
    // How it answers, or that it does not, is all one: its end is what is waited for (M-19).
    this.#session.shutdown(graceMs).catch(() => {});
    return true;
  }

  async close(reason: ExtensionError): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all([this.#listener?.close(), this.#gate.close(reason)]);
  }

  #accept(pipe: Pipe): void {
    const { trace, codec, limits } = this.#hooks;
    if (trace === undefined) return this.#gate.accept(pipe);
    const channel = pipeChannel(pipe, codec, "frames", limits);
    this.#gate.attach(traceChannel(channel, (message) => trace(withText(message, withoutTokens))));
  }

  #began(session: MxSession): void {
    clearTimeout(this.#timer);
    this.#session = session;
    this.#refusal = undefined;
    void session.closed.then((reason) => this.#ended(session, reason));
    if (this.#dialled) {
      this.#dialled(session);
      this.#dialled = undefined;
    } else void this.poll();
  }

  /** The process may dial again, with the token it has. */
  #ended(session: MxSession, reason: ExtensionError): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    if (this.#closed) return;
    if (reason.code === "protocol" || reason.code === "limit") return void this.#broke(reason);
    this.#hooks.degraded(`its connection ended, and it has not reconnected yet: ${reason.message}`);
    this.#expectDial(() => this.#hooks.lost(reason));
  }

  /** What is wrong with a message that was whole is found on this side, and not explained yet. */
  async #broke(reason: ExtensionError): Promise<void> {
    this.#hooks.lost(reason.stderr === undefined ? await this.#hooks.explain(reason) : reason);
  }

  #silent(error: unknown): void {
    if (this.#session && !this.#closed) this.#hooks.degraded(messageOf(statusFault(error)));
  }

  #refused(reason: ExtensionError): void {
    this.#refusal = `the last connection was refused: ${reason.message}`;
    this.#hooks.diagnostic({ code: "refused", message: `a connection was refused: ${reason.message}` });
  }

  #expectDial(late: () => void): void {
    this.#timer = setTimeout(late, this.#startTimeoutMs);
  }

  #nobodyCame(): ExtensionError {
    const hint = this.#refusal ?? "if it reads stdin instead, its protocol is dhara";
    return new ExtensionError(
      "handshake-failed",
      `no accepted host.v1.hello within ${this.#startTimeoutMs} ms: it must connect to MX_EXTENSION_HOST and show MX_EXTENSION_TOKEN; ${hint}`,
    );
  }
}

/** What went wrong with the question for the status, in words that say who answered what. */
function statusFault(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  return new ExtensionError("handshake-failed", answeredWith(MxMethod.reportStatus, error), { cause: error });
}
