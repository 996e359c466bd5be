/** One call of a tool, seen from the host: what the peer asks about it, in one object a call. */
import { ExtensionError } from "../rpc/errors.ts";
import type { RequestOptions } from "../rpc/peer.ts";
import { readToolResult } from "./content.ts";
import type { ToolCallId, ToolResult } from "./types.ts";

/** Progress, time and end of one call of a tool. */
export interface ExecuteOptions {
  /** Called with each progress message in order, before the result (D-12). What it throws goes to the session's `onError`. */
  readonly onProgress?: ((message: string) => unknown) | undefined;
  /** Rejects the call with `signal.reason` at once and tells the extension to give it up. */
  readonly signal?: AbortSignal | undefined;
  /** In ms; 0 means none. Default: the session's. Progress does not prolong it (D-13). */
  readonly timeoutMs?: number | undefined;
}

/** What a call needs of its session. */
interface Session {
  readonly id: string;
  cancel(toolCallId: ToolCallId): void;
  stop(): Promise<unknown>;
}

export class Execution implements RequestOptions {
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly #calls: Map<ToolCallId, Execution>;
  readonly #toolCallId: ToolCallId;
  readonly #tool: string;
  readonly #onProgress: ExecuteOptions["onProgress"];
  readonly #session: Session;

  constructor(
    calls: Map<ToolCallId, Execution>,
    toolCallId: ToolCallId,
    tool: string,
    options: ExecuteOptions,
    session: Session,
  ) {
    this.timeoutMs = options.timeoutMs;
    this.signal = options.signal;
    this.#calls = calls;
    this.#toolCallId = toolCallId;
    this.#tool = tool;
    this.#onProgress = options.onProgress;
    this.#session = session;
    if (options.onProgress) calls.set(toolCallId, this);
  }

  tell(message: string): unknown {
    return this.#onProgress?.(message);
  }

  parse(result: unknown): ToolResult {
    try {
      return readToolResult(result);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ExtensionError(
        "protocol",
        `the answer of '${this.#tool}' (extension '${this.#session.id}') is no tool result: ${why}`,
        {
          cause,
          extension: this.#session.id,
        },
      );
    }
  }

  onAbort(): void {
    this.#session.cancel(this.#toolCallId);
  }

  /** Says which tool it was, and how the extension took its end where that is known. */
  async onTimeout({ message }: ExtensionError): Promise<never> {
    const stopped = await this.#session.stop();
    const end = stopped instanceof ExtensionError ? stopped : undefined;
    const how = end ? `. Then ${end.message}` : "";
    throw new ExtensionError("timeout", `'${this.#tool}' (extension '${this.#session.id}'): ${message}${how}`, {
      extension: this.#session.id,
      ...(end?.stderr === undefined ? {} : { stderr: end.stderr }),
      ...(end?.exitCode === undefined ? {} : { exitCode: end.exitCode }),
      ...(end?.signal === undefined ? {} : { signal: end.signal }),
    });
  }

  onSettled(): void {
    if (this.#onProgress) this.#calls.delete(this.#toolCallId);
  }
}
