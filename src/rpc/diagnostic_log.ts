/** The last diagnostics of a connection, capped. */
import type { Diagnostic } from "./channel.ts";
import { cutToBytes } from "./excerpt.ts";
import type { Limits } from "./limits.ts";

export class DiagnosticLog {
  readonly #maxLines: number;
  readonly #maxLineBytes: number;
  #kept: Diagnostic[] = [];

  constructor({ maxDiagnosticLines, maxDiagnosticLineBytes }: Limits) {
    this.#maxLines = maxDiagnosticLines;
    this.#maxLineBytes = maxDiagnosticLineBytes;
  }

  /** Oldest first. */
  get kept(): readonly Diagnostic[] {
    return this.#kept.slice(this.#overdue());
  }

  add(diagnostic: Diagnostic): void {
    // Its line is cut already.
    this.#kept.push({ ...diagnostic, message: cutToBytes(diagnostic.message, this.#maxLineBytes) });
    // The old half goes at once, so that a flood costs no shift for each line.
    if (this.#kept.length >= this.#maxLines * 2) this.#kept = this.#kept.slice(this.#overdue());
  }

  /** How many are past the limit. */
  #overdue(): number {
    return Math.max(0, this.#kept.length - this.#maxLines);
  }
}
