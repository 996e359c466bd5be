/** A Dhara extension: the protocol runs over the stdin and stdout of the process. */
import { DharaSession } from "../dhara/host.ts";
import type { ToolInfo } from "../dhara/types.ts";
import { answeredWith, ExtensionError, RpcError } from "../rpc/errors.ts";
import { pipeChannel } from "../rpc/pipe_channel.ts";
import { messageOf } from "../rpc/thrown.ts";
import { traceChannel } from "../rpc/trace.ts";
import type { Driver, DriverHooks } from "./driver.ts";
import type { ExtensionProcess } from "./platform.ts";

export class DharaDriver implements Driver {
  readonly #hooks: DriverHooks;
  #session: DharaSession | undefined;
  #usable = false;
  #connected = false;

  constructor(hooks: DriverHooks) {
    this.#hooks = hooks;
  }

  get usable(): boolean {
    return this.#usable;
  }

  get session(): DharaSession | undefined {
    return this.#session;
  }

  get drained(): Promise<unknown> | undefined {
    return this.#session?.closed;
  }

  prepare(): Promise<Record<string, string>> {
    return Promise.resolve({});
  }

  async handshake({ stdio }: ExtensionProcess): Promise<void> {
    const { manifest, cwd, codec, limits, trace } = this.#hooks;
    const channel = pipeChannel(stdio, codec, "lines", limits);
    let isGarbled = false;
    const session = new DharaSession(trace ? traceChannel(channel, trace) : channel, {
      id: manifest.id,
      limits,
      timeoutMs: manifest.timeoutMs,
      explain: (cause) => this.#ended(cause),
      onDiagnostic: (diagnostic) => {
        isGarbled = true;
        this.#hooks.diagnostic(diagnostic);
      },
      onToolsChanged: (tools) => this.#changed(tools),
      onTimeout: () => this.#timedOut(),
      onError: (error) => this.#hooks.error(error),
    });
    this.#session = session;
    this.#connected = true;
    try {
      await session.initialize({ cwd, timeoutMs: manifest.startTimeoutMs ?? 30_000 });
    } catch (error) {
      throw handshakeFault(error, isGarbled || channel.unfinished?.() !== undefined);
    }
    this.#usable = true;
    this.#hooks.tools(session.tools);
  }

  shutdown(): boolean {
    this.#usable = false;
    if (!this.#connected) return false;
    void this.#session?.shutdown();
    return true;
  }

  close(reason: ExtensionError): Promise<void> {
    this.#usable = false;
    return this.#session?.peer.close(reason) ?? Promise.resolve();
  }

  /** A list that comes right behind the answer to initialize is told as the first one. */
  #changed(tools: readonly ToolInfo[]): void {
    if (this.#usable) this.#hooks.tools(tools);
  }

  #timedOut(): Promise<ExtensionError> {
    this.#usable = false;
    return this.#hooks.timedOut();
  }

  async #ended(cause: Error | undefined): Promise<ExtensionError> {
    this.#usable = false;
    this.#connected = false;
    const reason = await this.#hooks.explain(cause);
    this.#hooks.lost(reason);
    return reason;
  }
}

/** Why the handshake came to nothing, without the name of the extension, and with what to do about it. */
function handshakeFault(error: unknown, isHeard: boolean): unknown {
  if (!(error instanceof ExtensionError) || error.code !== "handshake-failed") return error;
  const { cause } = error;
  const what = cause instanceof RpcError ? answeredWith("initialize", cause) : messageOf(cause);
  // Where anything came the end of the error shows it.
  const isSilence = !isHeard && cause instanceof ExtensionError && cause.code === "timeout";
  const hint = isSilence ? ". Its stdout may be buffered: flush it after each message" : "";
  return new ExtensionError(error.code, `${what}${hint}`, { cause: error });
}
