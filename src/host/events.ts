/** What a host tells its listeners, and what it shows of an extension. */
import type { ToolInfo } from "../dhara/types.ts";
import type { ExtensionStatus } from "../mx/types.ts";
import { guarded } from "../rpc/thrown.ts";
import type { TracedMessage } from "../rpc/trace.ts";
import type { Exit } from "./platform.ts";

/**
 * `degraded` and `failed` are also what an MX extension may say of itself (M-18): its process runs then.
 * One that died is `stopped` until its next use, and `failed` when it is not started again.
 */
export type RunState = "starting" | "ready" | "degraded" | "stopping" | "stopped" | "failed";

/** What happened to an extension, told when it happens. */
export type HostEvent = ExtensionEvent & { readonly extension: string };

export type ExtensionEvent =
  | { readonly type: "state"; readonly state: RunState; readonly message?: string | undefined }
  /** What an MX extension answered when it was asked, if that is news. */
  | { readonly type: "status"; readonly status: ExtensionStatus }
  | { readonly type: "tools"; readonly tools: readonly ToolInfo[] }
  /** A line that an extension wrote beside its protocol. */
  | { readonly type: "stdout" | "stderr"; readonly line: string }
  | { readonly type: "diagnostic"; readonly code: string; readonly message: string }
  /** Where `HostOptions.trace` asks for it: a message that was written to the extension, or that came from it. */
  | ({ readonly type: "message" } & TracedMessage)
  /** `expected`: it was asked to stop. */
  | { readonly type: "exit"; readonly code: number | null; readonly signal: string | null; readonly expected: boolean };

/** Codes of diagnostics that tell of this side, not of what an extension sent. */
export const OWN_DIAGNOSTICS: readonly string[] = ["plain-codec", "hook-failed"];

/** An extension at one moment. */
export interface ExtensionSnapshot {
  readonly id: string;
  readonly protocol: "dhara" | "mx";
  readonly state: RunState;
  /** Why, for a person to read. */
  readonly message?: string;
  readonly pid?: number;
  /** Of a live MX session (M-16). */
  readonly sessionId?: string;
  /** How often it was started again by itself. */
  readonly restarts: number;
  readonly lastExit?: Exit;
  /** What the last process wrote to stderr: at most 1,000 lines of 8 KiB. */
  stderr(): readonly string[];
  /** What came from it that was not of its protocol, as many lines. */
  diagnostics(): readonly string[];
}

/** Is told what happens. What it throws, or rejects with, is reported and stops nothing. */
export type HostListener = (event: HostEvent) => unknown;

/** Listeners that cannot harm each other or the host (C25, D13). */
export class Listeners {
  readonly #listeners = new Set<HostListener>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Returns what takes it away again. */
  add(listener: HostListener): () => void {
    // The same function twice is two listeners.
    const own: HostListener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  emit(event: HostEvent): void {
    for (const listener of this.#listeners) {
      guarded(() => listener(event), { error: this.#onError });
    }
  }

  report(error: unknown): void {
    guarded(() => this.#onError(error));
  }
}
