/** What a host tells its listeners, and what it shows of an extension. */
import type { ToolInfo } from "../dhara/types.ts";
import type { ExtensionStatus } from "../mx/types.ts";
import { guarded } from "../rpc/thrown.ts";
import type { TracedMessage } from "../rpc/trace.ts";
import type { Exit } from "./platform.ts";

/**
 * The state of an extension. One that died is `stopped` until its next use, and `failed` if it is not started again.
 * An MX extension may also report itself as `degraded` or `failed` (M-18); its process then still runs.
 */
export type RunState = "starting" | "ready" | "degraded" | "stopping" | "stopped" | "failed";

/** Something that happened to an extension, reported as it happens. */
export type HostEvent = ExtensionEvent & { readonly extension: string };

export type ExtensionEvent =
  | { readonly type: "state"; readonly state: RunState; readonly message?: string | undefined }
  /** The status that an MX extension reported, if it differs from the last one. */
  | { readonly type: "status"; readonly status: ExtensionStatus }
  | { readonly type: "tools"; readonly tools: readonly ToolInfo[] }
  /** A line that the extension wrote outside its protocol. */
  | { readonly type: "stdout" | "stderr"; readonly line: string }
  | { readonly type: "diagnostic"; readonly code: string; readonly message: string }
  /** With `HostOptions.trace`: a message that was written to the extension, or that came from it. */
  | ({ readonly type: "message" } & TracedMessage)
  /** The process ended. `expected`: it had been asked to stop. */
  | { readonly type: "exit"; readonly code: number | null; readonly signal: string | null; readonly expected: boolean };

/** Codes of diagnostics that tell of this side, not of what an extension sent. */
export const OWN_DIAGNOSTICS: readonly string[] = ["plain-codec", "hook-failed"];

/** What an extension is, and how it is doing, at one moment. */
export interface ExtensionSnapshot {
  readonly id: string;
  readonly protocol: "dhara" | "mx";
  readonly state: RunState;
  /** Why it is in this state, for a person to read. */
  readonly message?: string;
  readonly pid?: number;
  /** The id of a live MX session (M-16). */
  readonly sessionId?: string;
  /** How often the host has started it again after it died, or after a timeout had stopped it. */
  readonly restarts: number;
  readonly lastExit?: Exit;
  /** What its last process wrote to stderr: the last 1,000 lines, of at most 8 KiB each. */
  stderr(): readonly string[];
  /** The diagnostics of its last process, up to as many lines. */
  diagnostics(): readonly string[];
}

/** Receives a host's events. What it throws, or rejects with, goes to `HostOptions.onError` and stops nothing. */
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
