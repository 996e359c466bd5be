/** Ctrl-C and its relatives: the first asks for an orderly stop, a second one forces it. */
import type { Output } from "./output.ts";

const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
/** Starters such as npm pass on a Ctrl-C that the terminal has already given to everybody: one press, two signals. */
const SAME_PRESS_MS = 150;

export class Interruption {
  readonly #controller = new AbortController();
  readonly #output: Output;
  #force: () => void = () => {};
  #first: number | undefined;
  #exitCode: number | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Aborts at the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** 130 for Ctrl-C, 128 and the signal's number for the others; undefined while nobody interrupted. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** What a second signal does before the program ends at once. */
  onForce(force: () => void): void {
    this.#force = force;
  }

  listen(): void {
    for (const [name, number] of Object.entries(SIGNALS)) {
      process.on(name, () => this.#interrupt(128 + number, name === "SIGINT"));
    }
  }

  /** Stops in order as a signal does, for a reason of the program's own. */
  end(exitCode: number): void {
    if (this.#first !== undefined) return;
    this.#first = performance.now();
    this.#exitCode = exitCode;
    this.#controller.abort(new Error("stopped"));
  }

  #interrupt(exitCode: number, fromKeyboard: boolean): void {
    const now = performance.now();
    if (this.#first === undefined) {
      this.#first = now;
      this.#exitCode = exitCode;
      if (fromKeyboard && this.#output.errIsTerminal) {
        this.#output.note(this.#output.errStyle.dim("stopping; press Ctrl-C again to force it"));
      }
      this.#output.replaceActivity("stopping");
      this.#controller.abort(new Error("interrupted"));
    } else if (now - this.#first > SAME_PRESS_MS) {
      this.#output.progressDone();
      this.#force();
      process.exit(exitCode);
    }
  }
}
