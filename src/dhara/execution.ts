/** One call of a tool, seen from the host: what the peer asks about it, in one object a call. */
import { ExtensionError, type ExtensionErrorCode, type ExtensionErrorDetails } from "../rpc/errors.ts";
import { jsonText, OwnJson } from "../rpc/message.ts";
import type { RequestOptions } from "../rpc/peer.ts";
import { messageOf } from "../rpc/thrown.ts";
import { readToolResult } from "./content.ts";
import type { KnownTool } from "./known_tools.ts";
import { CALL, type RunningCalls } from "./running_calls.ts";
import type { ToolResult } from "./types.ts";

/** Progress, timeout and cancelling of one call of a tool. */
export interface ExecuteOptions {
  /** Called with each progress message, in order, before the result (D-12). What it throws goes to `onError` of the session or host. */
  readonly onProgress?: ((message: string) => unknown) | undefined;
  /** When aborted, the call rejects with `signal.reason` at once, and the extension is told to cancel it. */
  readonly signal?: AbortSignal | undefined;
  /** The timeout, in ms; 0 means none. Default: the session's. Progress does not extend it (D-13). */
  readonly timeoutMs?: number | undefined;
}

export class Execution extends OwnJson implements RequestOptions {
  /** Counts the calls of the session. */
  readonly id: number;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly #tool: KnownTool;
  readonly #input: unknown;
  readonly #onProgress: ExecuteOptions["onProgress"];
  readonly #calls: RunningCalls;

  constructor(tool: KnownTool, input: unknown, options: ExecuteOptions, calls: RunningCalls) {
    super();
    this.id = calls.nextId();
    this.timeoutMs = options.timeoutMs;
    this.signal = options.signal;
    this.#tool = tool;
    this.#input = input;
    this.#onProgress = options.onProgress;
    this.#calls = calls;
  }

  /** The params of `tools/execute` (D-08, X-07). */
  json(): string {
    return `${this.#tool.head}${jsonText(this.#input)},"toolCallId":"${CALL}${this.id}"}`;
  }

  /** From now on it is in flight, and hears of progress. */
  onSend(): void {
    if (this.#onProgress) this.#calls.listening.add(this);
  }

  tell(message: string): unknown {
    return this.#onProgress?.(message);
  }

  parse(result: unknown): ToolResult {
    try {
      return readToolResult(result);
    } catch (cause) {
      throw this.#error("protocol", `the answer is not a valid tool result: ${messageOf(cause)}`, { cause });
    }
  }

  onFailure(error: ExtensionError): ExtensionError {
    return this.#error(error.code, error.message, { ...endOf(error), cause: error });
  }

  onAbort(): void {
    this.#calls.cancel(this.id);
  }

  /** Says how the extension took its end where that is known. */
  async onTimeout({ message }: ExtensionError): Promise<never> {
    const stopped = await this.#calls.stop();
    if (!(stopped instanceof ExtensionError)) throw this.#error("timeout", message);
    throw this.#error("timeout", `${message}. Then ${stopped.message}`, endOf(stopped));
  }

  /** Says which tool it was, and of which extension unless `details` are of an error that does. */
  #error(code: ExtensionErrorCode, what: string, details: ExtensionErrorDetails = {}): ExtensionError {
    const { extension } = this.#calls;
    const fate = details.extension === undefined ? `of extension '${extension}'` : "was not answered";
    const message = `tool '${this.#tool.info.name}' ${fate}: ${what}`;
    return new ExtensionError(code, message, { ...details, extension });
  }

  onSettled(): void {
    if (this.#onProgress) this.#calls.listening.delete(this.id);
  }
}

/** Which extension ended and how, as far as an error says it. */
function endOf({ extension, stderr, exitCode, signal }: ExtensionError): ExtensionErrorDetails {
  return { extension, stderr, exitCode, signal };
}
