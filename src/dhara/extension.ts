/** The extension's side of Dhara over any channel: answers the handshake, runs tools, ends when told to. */
import { Answerer } from "../rpc/answerer.ts";
import type { Channel, Diagnostic } from "../rpc/channel.ts";
import { deferred } from "../rpc/deferred.ts";
import { ErrorCode, ExtensionError, invalidParams, invalidRequest, methodNotFound, RpcError } from "../rpc/errors.ts";
import { IdTable } from "../rpc/id_table.ts";
import type { RequestContext } from "../rpc/incoming.ts";
import { kindOf } from "../rpc/kind_of.ts";
import type { GivenLimits } from "../rpc/limits.ts";
import { isObject } from "../rpc/message.ts";
import { isPromiseLike } from "../rpc/promise_like.ts";
import { asError, guarded, messageOf } from "../rpc/thrown.ts";
import { nextTurn } from "../rpc/turn.ts";
import { within } from "../rpc/within.ts";
import { Call } from "./call.ts";
import { toToolResult } from "./content.ts";
import type { CompiledTool, Extension } from "./define.ts";
import { ResultText } from "./result_text.ts";
import type { Verdict } from "./schema.ts";
import { unknownName } from "./suggest.ts";

/** Limits, times and hooks of a `DharaServer`. */
export interface DharaServerOptions {
  readonly limits?: GivenLimits | undefined;
  /**
   * Called when a handler, the clean-up or a listener threw, but not for a handler whose call was cancelled. Default: nothing is
   * reported. The caller of a tool is answered in any case.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called when something arrived that was no message, or that was skipped. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Called when `shutdown` has arrived or the connection has ended, before the clean-up. */
  readonly onShutdown?: (() => void) | undefined;
  /**
   * How long, in ms, to go on writing the answers that are queued when `shutdown` arrives. Default 4,500: the host kills the
   * process after 5,000 (D-13).
   */
  readonly flushMs?: number | undefined;
}

/** After `shutdown`, handlers that saw their signal aborted may still answer for this long. */
const SETTLE_MS = 1_000;
/** The host has ended stdin, but somebody may still read stdout, as in a pipeline of commands. A host that died reads nothing, and that ends it at once. */
const LAST_FLUSH_MS = 30_000;
/** A clean-up that hangs does not keep the process: by now the host would kill it (D-13). */
const CLEAN_UP_MS = 5_000;

/**
 * Runs an extension over a channel, without a process of its own. `serve` runs one on stdin and stdout.
 *
 * @example
 * ```ts
 * import { defineExtension, DharaServer, memoryPair, Peer } from "extwire";
 * const extension = defineExtension({ name: "demo", version: "1.0.0", tools: [] });
 * const [left, right] = memoryPair();
 * const server = new DharaServer(extension, right);
 * const host = new Peer(left);
 * console.log(await host.request("initialize", { version: "0.1.0", cwd: "/" })); // { name: "demo", version: "1.0.0", tools: [] }
 * await host.notify("shutdown");
 * await server.closed;
 * ```
 */
export class DharaServer {
  readonly #extension: Extension;
  readonly #options: DharaServerOptions;
  readonly #peer: Answerer;
  readonly #prepared: Promise<unknown> | undefined;
  readonly #running = new IdTable<Call>();
  #initialized = false;
  #cwd: string | undefined;
  #ending = false;
  readonly #closed = deferred<ExtensionError>();
  /** Of who waits until no handler runs. */
  #idle: (() => void) | undefined;

  constructor(extension: Extension, channel: Channel, options: DharaServerOptions = {}) {
    this.#extension = extension;
    this.#options = options;
    this.#prepared = extension.prepare();
    this.#prepared?.catch(() => {});
    this.#peer = new Answerer(
      channel,
      {
        request: (method, params, context) => this.#requested(method, params, context),
        notification: (method, params) => this.#notified(method, params),
        closed: (reason) => void this.#finish(reason),
        diagnostic: options.onDiagnostic,
        error: options.onError,
      },
      { limits: options.limits, flushMs: LAST_FLUSH_MS },
    );
  }

  /** Resolves with the reason once the extension has cleaned up, after `shutdown` or the end of the connection. Never rejects. */
  get closed(): Promise<ExtensionError> {
    return this.#closed.promise;
  }

  #requested(method: string, params: unknown, context: RequestContext): unknown {
    if (this.#ending) throw new RpcError(ErrorCode.applicationError, `shutting down: ${method} was not run`);
    switch (method) {
      case "tools/execute":
        return this.#execute(params, context);
      case "initialize":
        return this.#initialize(params);
      case "tools/list":
        this.#requireInitialized(method);
        return { tools: this.#extension.tools };
      case "tools/cancel":
      case "shutdown":
        // Meant as notifications; who gives them an id wants an answer all the same.
        this.#notified(method, params);
        return null;
      default:
        throw methodNotFound(method);
    }
  }

  #notified(method: string, params: unknown): void {
    if (method === "shutdown") void this.#finish();
    if (method !== "tools/cancel" || !isObject(params)) return;
    const { toolCallId } = params;
    // It names no call, and least of all those that have no name.
    if (toolCallId === undefined) return;
    const reason = new ExtensionError("closed", "the host cancelled the call");
    for (const call of this.#running.values()) if (call.toolCallId === toolCallId) call.cancel(reason);
  }

  #initialize(params: unknown): unknown {
    if (this.#initialized) throw invalidRequest("initialize is only valid once");
    const cwd = parameter(params ?? {}, "cwd");
    const { name, version, tools } = this.#extension;
    this.#initialized = true;
    this.#cwd = cwd;
    const result = { name, version, tools };
    return this.#prepared === undefined ? result : this.#prepared.then(() => result);
  }

  #requireInitialized(method: string): void {
    if (!this.#initialized) throw invalidRequest(`initialize must come before ${method}`);
  }

  #execute(params: unknown, context: RequestContext): unknown {
    this.#requireInitialized("tools/execute");
    const toolName = parameter(params, "toolName");
    if (toolName === undefined) throw invalidParams("Missing required parameter 'toolName'");
    const tool = this.#extension.compiled.get(toolName);
    if (tool === undefined) {
      throw invalidParams(unknownName("tool", toolName, this.#extension.compiled.keys()), { toolName });
    }
    const { input = {}, toolCallId } = params as { input?: unknown; toolCallId?: unknown };
    const verdict = tool.schema.check(input);
    const named = typeof toolCallId === "string" || typeof toolCallId === "number" ? toolCallId : undefined;
    const call = new Call(context, this.#peer, named, this.#cwd);
    if (!(verdict instanceof Promise)) return this.#judge(verdict, tool, input, call);
    // A check that takes its time is a part of the call: it can be cancelled meanwhile.
    this.#running.add(call);
    return verdict.then(
      (settled) => {
        if (call.signal.aborted) throw this.#failed(call, tool, call.signal.reason);
        this.#running.delete(call.id);
        return this.#judge(settled, tool, input, call);
      },
      (error: unknown) => {
        this.#settle(call);
        throw error;
      },
    );
  }

  #judge(verdict: Verdict, tool: CompiledTool, input: unknown, call: Call): unknown {
    if (verdict === undefined) return this.#run(tool, input, call);
    if (verdict.issue === undefined) return this.#run(tool, verdict.value, call);
    throw invalidParams(verdict.issue, { toolName: tool.name });
  }

  #run(tool: CompiledTool, input: unknown, call: Call): unknown {
    let output: unknown;
    try {
      output = tool.execute(input as never, call);
    } catch (error) {
      throw this.#failed(call, tool, error);
    }
    if (!isPromiseLike(output)) return this.#succeeded(call, tool, output);
    this.#running.add(call);
    // Of a promise this makes nothing new; the `then` of anything else may return nothing, throw, or call twice.
    return Promise.resolve(output).then(
      (value) => this.#succeeded(call, tool, value),
      (error: unknown) => {
        throw this.#failed(call, tool, error);
      },
    );
  }

  #succeeded(call: Call, tool: CompiledTool, output: unknown): unknown {
    this.#settle(call);
    try {
      return new ResultText(toToolResult(output));
    } catch (error) {
      const why = `tool '${tool.name}' returned an invalid result: ${messageOf(error)}`;
      this.#report(new TypeError(why, { cause: error }));
      throw new RpcError(ErrorCode.internalError, why, { toolName: tool.name });
    }
  }

  #failed(call: Call, tool: CompiledTool, error: unknown): RpcError {
    this.#settle(call);
    const known = asError(error);
    if (known instanceof RpcError) {
      if (known.code !== ErrorCode.invalidParams || known.data !== undefined) return known;
      return new RpcError(known.code, known.message, { toolName: tool.name });
    }
    if (!isCancelling(call.signal, known)) this.#report(error);
    const message = messageOf(known) || known.name;
    return new RpcError(ErrorCode.applicationError, message, { toolName: tool.name });
  }

  #settle(call: Call): void {
    call.settled = true;
    if (this.#running.delete(call.id) && this.#running.size === 0) this.#idle?.();
  }

  /** Once: what runs is told to stop, the author's clean-up runs, what was answered leaves, the connection closes (D-09). */
  async #finish(end?: ExtensionError): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    const reason = new ExtensionError("closed", end ? "the host is gone" : "the host asked for shutdown");
    await this.#guard(() => this.#options.onShutdown?.());
    for (const call of this.#running.values()) call.cancel(reason);
    const settled = end ? undefined : within(this.#settled(), SETTLE_MS);
    await within(
      this.#guard(() => this.#extension.onShutdown?.()),
      CLEAN_UP_MS,
    );
    await settled;
    await this.#peer.close(reason, this.#options.flushMs ?? 4_500);
    this.#closed.resolve(end ?? reason);
  }

  /** When no handler runs any more and what the last ones returned is on its way. */
  async #settled(): Promise<void> {
    if (this.#running.size > 0) {
      const idle = deferred();
      this.#idle = idle.resolve;
      await idle.promise;
    }
    // A handler that has returned is not answered yet: Bun delivers the next chunk before the promises of the last are through.
    do await new Promise<void>(nextTurn);
    while (this.#peer.serving > 0);
  }

  async #guard(hook: () => void | Promise<void>): Promise<void> {
    try {
      await hook();
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    guarded(() => this.#options.onError?.(error));
  }
}

/** Whether a handler threw because its call was cancelled: that is asked for, and nothing for its author to look at. */
function isCancelling({ aborted, reason }: AbortSignal, error: Error): boolean {
  return aborted && (error === reason || error.name === "AbortError");
}

/** A text among the params of a request, undefined when absent. Throws -32602 for what is none (D-10). */
function parameter(params: unknown, name: string): string | undefined {
  if (!isObject(params)) throw invalidParams(`params must be an object, not ${kindOf(params)}`);
  const value = params[name];
  if (value === undefined || typeof value === "string") return value;
  throw invalidParams(`Parameter '${name}' must be a string, not ${kindOf(value)}`);
}
