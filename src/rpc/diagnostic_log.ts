/** The last diagnostics of a connection, capped. */
import type { Diagnostic } from "./channel.ts";
import type { Limits } from "./limits.ts";
import { cutToBytes } from "./peek.ts";

export class DiagnosticLog {
  readonly #maxLines: number;
  readonly #maxLineBytes: number;
  #kept: Diagnostic[] = [];
  #dropped = 0;

  constructor({ maxDiagnosticLines, maxDiagnosticLineBytes }: Limits) {
    this.#maxLines = maxDiagnosticLines;
    this.#maxLineBytes = maxDiagnosticLineBytes;
  }

  /** Oldest first. */
  get kept(): readonly Diagnostic[] {
    return this.#kept.slice(-this.#maxLines);
  }

  /** How many there were before the oldest one that is kept. */
  get dropped(): number {
    return this.#dropped + Math.max(0, this.#kept.length - this.#maxLines);
  }

  add(diagnostic: Diagnostic): void {
    const { code, message, line } = diagnostic;
    const cut = { code, message: cutToBytes(message, this.#maxLineBytes) };
    this.#kept.push(line === undefined ? cut : { ...cut, line: cutToBytes(line, this.#maxLineBytes) });
    // The old half goes at once, so that a flood costs no shift for each line.
    if (this.#kept.length < this.#maxLines * 2) return;
    this.#dropped += this.#kept.length - this.#maxLines;
    this.#kept = this.#kept.slice(-this.#maxLines);
  }
}
