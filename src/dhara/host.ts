/** The host's side of one Dhara extension: handshake, calls with progress and cancelling, shutdown. */
import type { Channel, Diagnostic } from "../rpc/channel.ts";
import { deferred } from "../rpc/deferred.ts";
import { answeredWith, ExtensionError, invalidParams, methodNotFound, RpcError } from "../rpc/errors.ts";
import { cutToBytes } from "../rpc/excerpt.ts";
import { Latest } from "../rpc/latest.ts";
import { type GivenLimits, type Limits, withDefaultLimits } from "../rpc/limits.ts";
import { isObject } from "../rpc/message.ts";
import { Peer, type PeerOptions } from "../rpc/peer.ts";
import { DEFAULT_TIMEOUT_MS } from "../rpc/peer_options.ts";
import { type ErrorHook, guarded, messageOf } from "../rpc/thrown.ts";
import { refuse, unknownNotification } from "../rpc/unserved.ts";
import { waitFor } from "../rpc/wait.ts";
import { within } from "../rpc/within.ts";
import { type ExecuteOptions, Execution } from "./execution.ts";
import { Handshake } from "./handshake.ts";
import { type KnownTool, KnownTools } from "./known_tools.ts";
import { readProgress } from "./progress.ts";
import { readInitializeResult, readTools } from "./read_tools.ts";
import { RunningCalls } from "./running_calls.ts";
import type { Verdict } from "./schema.ts";
import { DHARA_VERSION, type InitializeResult, type ToolInfo, type ToolResult } from "./types.ts";

export type { ExecuteOptions } from "./execution.ts";

/** Name, times, limits and hooks of a `DharaSession`. */
export interface DharaSessionOptions {
  /** The name of the extension in error messages, and in the handshake's result if the extension gives none. */
  readonly id: string;
  readonly limits?: GivenLimits | undefined;
  /** The timeout of calls that have none of their own, in ms; 0 means none. Default 30,000 (D-13). */
  readonly timeoutMs?: number | undefined;
  /** Makes the error with which every call in flight rejects when the connection ends, see `PeerOptions.explain`. */
  readonly explain?: PeerOptions["explain"];
  /** Called when the extension sent something that is no message, or that nothing here expects. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Called when the extension announced a new list of tools. */
  readonly onToolsChanged?: ((tools: readonly ToolInfo[]) => unknown) | undefined;
  /**
   * Stops the extension after a call has timed out (D-13). The call rejects once the returned promise settles; if that resolves
   * with an ExtensionError, the call's error says so too. Default: sends `shutdown`, then closes the connection when the other
   * side does, or 5 s later.
   */
  readonly onTimeout?: (() => Promise<unknown>) | undefined;
  /** Called when one of the caller's listeners threw, or returned a promise that rejected (C25). */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** What the handshake tells the extension, and its timeout. */
export interface InitializeOptions {
  /** The host's working folder (D-06). */
  readonly cwd: string;
  /** The timeout, in ms. Default: the session's. */
  readonly timeoutMs?: number | undefined;
  /** When aborted, rejects at once. Nothing is sent: a handshake can't be cancelled. The caller must stop the extension. */
  readonly signal?: AbortSignal | undefined;
}

const STOP_GRACE_MS = 5_000;

/**
 * The host's side of the connection to one Dhara extension.
 *
 * @example
 * ```ts
 * import { defineExtension, DharaServer, DharaSession, memoryPair } from "extwire";
 * const [left, right] = memoryPair();
 * new DharaServer(defineExtension({ name: "demo", version: "1.0.0", tools: [
 *   { name: "ping", description: "Answers", inputSchema: { type: "object" }, execute: () => "pong" },
 * ] }), right);
 * const session = new DharaSession(left, { id: "demo" });
 * await session.initialize({ cwd: "/" });
 * console.log((await session.execute("ping", {})).content); // [ { type: "text", text: "pong" } ]
 * await session.close();
 * ```
 */
export class DharaSession {
  /** The JSON-RPC endpoint, for methods of your own. */
  readonly peer: Peer;
  /** The `id` of the options. */
  readonly id: string;
  /** Resolves with the reason when the connection has ended, whichever side ended it. Never rejects. */
  readonly closed: Promise<ExtensionError>;
  readonly #options: DharaSessionOptions;
  readonly #limits: Limits;
  /** Hears of what a listener throws, now or later, which stops nothing (C25). */
  readonly #errors: ErrorHook;
  readonly #diagnostics: Latest<Diagnostic>;
  readonly #tools: KnownTools;
  #initializing: Promise<InitializeResult> | undefined;
  /** Takes the tools that come as a notification until those of the handshake are known. */
  #handshake: Handshake | undefined;
  /** Lists are taken one after the other, so that the last one stays. Undefined when all are taken. */
  #listing: Promise<void> | undefined;
  #ready = false;
  #stopping: Promise<unknown> | undefined;
  /** Made for the first call: many sessions idle in one host. */
  #calls: RunningCalls | undefined;

  constructor(channel: Channel, options: DharaSessionOptions) {
    this.id = options.id;
    this.#options = options;
    const closed = deferred<ExtensionError>();
    this.closed = closed.promise;
    const { timeoutMs, explain } = options;
    this.#errors = { error: options.onError };
    const limits = withDefaultLimits(options.limits);
    this.#limits = limits;
    this.#diagnostics = new Latest(limits.maxDiagnosticLines);
    this.#tools = new KnownTools(options.id, this.#diagnose);
    this.peer = new Peer(
      channel,
      {
        request: (method, params) => this.#requested(method, params),
        notification: (method, params) => this.#notified(method, params),
        diagnostic: this.#diagnose,
        ...this.#errors,
        closed: closed.resolve,
      },
      { limits, timeoutMs, explain, answersInvalid: false },
    );
  }

  /** The tools that the extension listed last; empty before the handshake. */
  get tools(): readonly ToolInfo[] {
    return this.#tools.infos;
  }

  /** What came last and was no message, oldest first, up to the limits for diagnostics. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics.all;
  }

  /**
   * Performs the handshake (D-06, D-07). Call it once, before anything else.
   *
   * Rejects with an ExtensionError `handshake-failed` that says why; with what `explain` returned, if the connection ended; or
   * with `signal.reason`.
   */
  initialize(options: InitializeOptions): Promise<InitializeResult> {
    this.#initializing ??= this.#initialize(options);
    return this.#initializing;
  }

  async #initialize({ cwd, timeoutMs, signal }: InitializeOptions): Promise<InitializeResult> {
    const params = { version: DHARA_VERSION, protocolVersion: DHARA_VERSION, cwd };
    const handshake = new Handshake();
    this.#handshake = handshake;
    let result: InitializeResult;
    try {
      const parse = (answer: unknown) => handshake.answered(answer);
      const answer = this.peer.request("initialize", params, { timeoutMs, signal, parse });
      result = readInitializeResult(await handshake.result(answer), this.id);
      await this.#tools.take(result.tools);
    } catch (error) {
      throw this.#handshakeError(error, signal);
    } finally {
      this.#handshake = undefined;
    }
    this.#ready = true;
    for (const list of handshake.later) this.#listed(list);
    return result;
  }

  /**
   * Runs a tool (D-08). If the handshake is in progress, waits for it, but no longer than the call's timeout.
   *
   * Rejects with an RpcError: the extension's answer, or -32602 for an input that does not fit the tool's schema, which is not
   * sent. With an ExtensionError: `unknown-tool`, `timeout`, `protocol`, `limit`, `not-serializable`, `closed`, or, if
   * the connection ended, what `explain` returned. Or with `signal.reason`.
   */
  execute(tool: string, input: unknown = {}, options: ExecuteOptions = {}): Promise<ToolResult> {
    if (!this.#ready || this.#listing) return this.#executeLater(tool, input, options);
    try {
      if (this.#stopping) throw this.#error("closed", `was told to shut down: ${tool} was not called`);
      const known = this.#tools.get(tool);
      const verdict = known.schema?.check(input);
      if (!(verdict instanceof Promise)) return this.#send(verdict, known, input, options);
      return verdict.then((settled) => this.#send(settled, known, input, options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Tells the extension to clean up and exit (D-09). New calls are refused from then on. Never rejects. */
  async shutdown(): Promise<void> {
    this.#stopping ??= Promise.resolve();
    await this.peer.notify("shutdown").catch(() => {});
  }

  /** Ends the connection; calls in flight reject with `closed`. Idempotent. */
  close(): Promise<void> {
    this.#stopping ??= Promise.resolve();
    return this.peer.close();
  }

  async #executeLater(tool: string, input: unknown, options: ExecuteOptions): Promise<ToolResult> {
    if (this.#initializing === undefined) throw this.#error("protocol", `was not initialized: ${tool} was not called`);
    const { timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS, signal } = options;
    const what = `extension '${this.id}' was not ready for '${tool}'`;
    await waitFor(this.#settled(), { signal, timeout: { ms: timeoutMs, what } });
    return this.execute(tool, input, options);
  }

  /** When the handshake and the last list are taken. */
  async #settled(): Promise<void> {
    await this.#initializing;
    await this.#listing;
  }

  #send(verdict: Verdict, tool: KnownTool, input: unknown, options: ExecuteOptions): Promise<ToolResult> {
    if (verdict?.issue !== undefined) throw invalidParams(verdict.issue, { toolName: tool.info.name });
    this.#calls ??= new RunningCalls(this.id, this.peer, () => this.#stop(), this.#errors);
    const execution = new Execution(tool, input, options, this.#calls);
    return this.peer.request("tools/execute", execution, execution) as Promise<ToolResult>;
  }

  #stop(): Promise<unknown> {
    return (this.#stopping ??= (this.#options.onTimeout ?? (() => this.#stopGently()))());
  }

  async #stopGently(): Promise<void> {
    await this.shutdown();
    await within(this.closed, STOP_GRACE_MS);
    await this.peer.close();
  }

  #requested(method: string, params: unknown): unknown {
    if (method !== "tools/list") refuse(method, methodNotFound(method), this.#diagnose);
    this.#listed(params);
    return null;
  }

  #notified(method: string, params: unknown): void {
    if (method === "progress" || method === "tools/progress") this.#progressed(params);
    else if (method === "tools/list") this.#listed(params);
    else this.#diagnose(unknownNotification(method));
  }

  #progressed(params: unknown): void {
    try {
      const { toolCallId, message } = readProgress(params, this.#calls);
      this.#calls?.tell(toolCallId, message);
    } catch (error) {
      this.#diagnose({ code: "bad-progress", message: messageOf(error) });
    }
  }

  #listed(params: unknown): void {
    if (this.#handshake) return this.#handshake.announced(params);
    let tools: ToolInfo[];
    try {
      tools = readTools(isObject(params) ? params["tools"] : params);
    } catch (error) {
      return this.#diagnose({
        code: "bad-tools",
        message: `a new list of tools was ignored: ${messageOf(error)}`,
      });
    }
    const taken = this.#listing ? this.#listing.then(() => this.#tools.take(tools)) : this.#tools.take(tools);
    if (taken === undefined) return this.#changed(tools);
    const listing = taken.then(() => {
      if (this.#listing === listing) this.#listing = undefined;
      this.#changed(tools);
    });
    this.#listing = listing;
  }

  #changed(tools: readonly ToolInfo[]): void {
    guarded(() => this.#options.onToolsChanged?.(tools), this.#errors);
  }

  #handshakeError(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return error;
    const broken = error instanceof ExtensionError && error.code !== "timeout" && error.code !== "protocol";
    if (broken) return error;
    const what = error instanceof RpcError ? answeredWith("initialize", error) : messageOf(error);
    return this.#error("handshake-failed", what, error);
  }

  #error(code: "closed" | "protocol" | "handshake-failed", what: string, cause?: unknown): ExtensionError {
    return new ExtensionError(code, `extension '${this.id}': ${what}`, { cause, extension: this.id });
  }

  readonly #diagnose = (diagnostic: Diagnostic): void => {
    // Its line is cut already.
    const message = cutToBytes(diagnostic.message, this.#limits.maxDiagnosticLineBytes);
    this.#diagnostics.add({ ...diagnostic, message });
    guarded(() => this.#options.onDiagnostic?.(diagnostic), this.#errors);
  };
}
