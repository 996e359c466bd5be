/** The host's side of one Dhara extension: handshake, calls with progress and cancelling, shutdown. */
import type { Channel, Diagnostic } from "../rpc/channel.ts";
import { deferred } from "../rpc/deferred.ts";
import { DiagnosticLog } from "../rpc/diagnostic_log.ts";
import { ErrorCode, ExtensionError, methodNotFound, RpcError } from "../rpc/errors.ts";
import { type GivenLimits, withDefaultLimits } from "../rpc/limits.ts";
import { isObject } from "../rpc/message.ts";
import { Peer, type PeerOptions } from "../rpc/peer.ts";
import { DEFAULT_TIMEOUT_MS } from "../rpc/peer_options.ts";
import { guarded, messageOf } from "../rpc/thrown.ts";
import { refusedRequest, unknownNotification } from "../rpc/unserved.ts";
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
  /** What the extension is called in error messages, and its name where it gives none. */
  readonly id: string;
  readonly limits?: GivenLimits | undefined;
  /** For calls that name none of their own, in ms; 0 means none. Default 30,000 (D-13). */
  readonly timeoutMs?: number | undefined;
  /** Turns the end of the connection into the error that every call in flight rejects with. */
  readonly explain?: PeerOptions["explain"];
  /** Something came on the extension's stdout that is no message, or that nothing here takes. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** The extension announced another list of tools. */
  readonly onToolsChanged?: ((tools: readonly ToolInfo[]) => unknown) | undefined;
  /**
   * Stops the extension after a call's time was up (D-13). The call rejects when it settles, and tells what it resolves with,
   * if that is an ExtensionError. Default: `shutdown` is sent, and the connection closes with the other side, or 5 s later.
   */
  readonly onTimeout?: (() => Promise<unknown>) | undefined;
  /** A listener of the caller threw, now or later (C25). */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** What the handshake tells the extension, and how long it may take. */
export interface InitializeOptions {
  /** The host's working folder (D-06). */
  readonly cwd: string;
  /** In ms. Default: the session's. */
  readonly timeoutMs?: number | undefined;
  /** Rejects at once; nothing is sent, for a handshake can't be cancelled. Stopping the extension is the caller's. */
  readonly signal?: AbortSignal | undefined;
}

const STOP_GRACE_MS = 5_000;

/**
 * One running extension, seen from its host.
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
  /** For methods beyond these. */
  readonly peer: Peer;
  /** As its options name it. */
  readonly id: string;
  /** Resolves with the reason when the connection has ended, whoever ended it. Never rejects. */
  readonly closed: Promise<ExtensionError>;
  readonly #options: DharaSessionOptions;
  readonly #log: DiagnosticLog;
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
    const { timeoutMs, explain, onError } = options;
    const limits = withDefaultLimits(options.limits);
    this.#log = new DiagnosticLog(limits);
    this.#tools = new KnownTools(options.id, (diagnostic) => this.#diagnose(diagnostic));
    this.peer = new Peer(
      channel,
      {
        request: (method, params) => this.#requested(method, params),
        notification: (method, params) => this.#notified(method, params),
        diagnostic: (diagnostic) => this.#diagnose(diagnostic),
        error: onError,
        closed: closed.resolve,
      },
      { limits, timeoutMs, explain, answersInvalid: false },
    );
  }

  /** As the extension listed them last; empty before the handshake. */
  get tools(): readonly ToolInfo[] {
    return this.#tools.infos;
  }

  /** The last things that came and were no message, capped. Oldest first. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#log.kept;
  }

  /**
   * The handshake (D-06, D-07). Called once, before anything else.
   * Rejects with an ExtensionError `handshake-failed` that says why, with what `explain` made of the end, or with `signal.reason`.
   */
  initialize(options: InitializeOptions): Promise<InitializeResult> {
    this.#initializing ??= this.#initialize(options);
    return this.#initializing;
  }

  async #initialize({ cwd, timeoutMs, signal }: InitializeOptions): Promise<InitializeResult> {
    const params = { version: DHARA_VERSION, protocolVersion: DHARA_VERSION, cwd };
    const handshake = new Handshake();
    this.#handshake = handshake;
    try {
      const parse = (answer: unknown) => handshake.answered(answer);
      const answer = this.peer.request("initialize", params, { timeoutMs, signal, parse });
      const result = readInitializeResult(await handshake.result(answer), this.id);
      await this.#tools.take(result.tools);
      this.#ready = true;
      this.#handshake = undefined;
      for (const list of handshake.later) this.#listed(list);
      return result;
    } catch (error) {
      throw this.#handshakeError(error, signal);
    } finally {
      this.#handshake = undefined;
    }
  }

  /**
   * Runs a tool (D-08). Waits for a handshake that is under way, no longer than the call's timeout.
   *
   * Rejects with an RpcError: what the extension answered, or -32602 for an input that breaks the tool's schema,
   * which is not sent; with an ExtensionError `unknown-tool`, `timeout`, `protocol`, `limit`, `not-serializable`,
   * `closed`, or what `explain` made of the end; or with `signal.reason`.
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

  /** Tells the extension to clean up and exit (D-09). New calls are refused from here on. Never rejects. */
  async shutdown(): Promise<void> {
    this.#stopping ??= Promise.resolve();
    await this.peer.notify("shutdown").catch(() => {});
  }

  /** Rejects what is in flight with `closed` and ends the connection. Idempotent. */
  close(): Promise<void> {
    this.#stopping ??= Promise.resolve();
    return this.peer.close();
  }

  async #executeLater(tool: string, input: unknown, options: ExecuteOptions): Promise<ToolResult> {
    if (this.#initializing === undefined) throw this.#error("protocol", `was not initialized: ${tool} was not called`);
    const { timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS, signal } = options;
    const what = `extension '${this.id}' was not ready for '${tool}'`;
    await waitFor(this.#settled(), { timeoutMs, signal, what });
    return this.execute(tool, input, options);
  }

  /** When the handshake and the last list are taken. */
  async #settled(): Promise<void> {
    await this.#initializing;
    await this.#listing;
  }

  #send(verdict: Verdict, tool: KnownTool, input: unknown, options: ExecuteOptions): Promise<ToolResult> {
    if (verdict?.issue !== undefined) {
      throw new RpcError(ErrorCode.invalidParams, verdict.issue, { toolName: tool.info.name });
    }
    this.#calls ??= new RunningCalls(this.id, this.peer, () => this.#stop(), { error: this.#options.onError });
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
    if (method !== "tools/list") {
      const error = methodNotFound(method);
      this.#diagnose(refusedRequest(method, error));
      throw error;
    }
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

  /** What a listener throws, now or later, is reported and stops nothing (C25). */
  #guard(listener: () => unknown): void {
    guarded(listener, { error: this.#options.onError });
  }

  #listed(params: unknown): void {
    if (this.#handshake) return this.#handshake.announced(params);
    let tools: ToolInfo[];
    try {
      tools = readTools(isObject(params) ? params["tools"] : params);
    } catch (error) {
      return this.#diagnose({
        code: "bad-tools",
        message: `a new list of tools was not taken: ${messageOf(error)}`,
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
    this.#guard(() => this.#options.onToolsChanged?.(tools));
  }

  #handshakeError(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return error;
    const broken = error instanceof ExtensionError && error.code !== "timeout" && error.code !== "protocol";
    if (broken) return error;
    const message = messageOf(error);
    const what = error instanceof RpcError ? `answered initialize with the error ${error.code}: ${message}` : message;
    return this.#error("handshake-failed", what, error);
  }

  #error(code: "closed" | "protocol" | "handshake-failed", what: string, cause?: unknown): ExtensionError {
    return new ExtensionError(code, `extension '${this.id}': ${what}`, { cause, extension: this.id });
  }

  #diagnose(diagnostic: Diagnostic): void {
    this.#log.add(diagnostic);
    this.#guard(() => this.#options.onDiagnostic?.(diagnostic));
  }
}
