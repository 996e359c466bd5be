/** Every call by name, until it has ended: once, and with a result or with an error that says why. */
import { ExtensionError, RpcError } from "../../mod.ts";

export class Ledger {
  readonly #open = new Map<number, string>();
  readonly #endings = new Map<string, number>();
  readonly #faults: string[] = [];
  #calls = 0;

  /** Runs `call` and checks how it ends. `check` says what is wrong with a result, or nothing. */
  async record<T>(what: string, call: () => Promise<T>, check: (result: T) => string | undefined): Promise<void> {
    const number = ++this.#calls;
    this.#open.set(number, what);
    try {
      const wrong = check(await call());
      this.#count(wrong ? "wrong" : "answered");
      if (wrong) this.#faults.push(`${what}: ${wrong}`);
    } catch (error) {
      this.#count(this.#kindOf(error, what));
    }
    this.#open.delete(number);
  }

  get calls(): number {
    return this.#calls;
  }

  /** What went wrong: answers that were not right, errors that do not say why, calls that have not ended. */
  get faults(): readonly string[] {
    return [...this.#faults, ...[...this.#open.values()].map((what) => `${what}: has not ended`)];
  }

  /** As in `answered 900, timeout 12, exited 80`. */
  toString(): string {
    return [...this.#endings].map(([ending, times]) => `${ending} ${times}`).join(", ");
  }

  #kindOf(error: unknown, what: string): string {
    if (error instanceof RpcError) return `rpc ${error.code}`;
    if (error instanceof ExtensionError && error.message.length > 10) return error.code;
    if (error instanceof Error && error.name === "AbortError") return "aborted";
    this.#faults.push(`${what}: ended with an error that says nothing: ${String(error)}`);
    return "unexplained";
  }

  #count(ending: string): void {
    this.#endings.set(ending, (this.#endings.get(ending) ?? 0) + 1);
  }
}
