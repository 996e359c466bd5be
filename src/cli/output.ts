/** The two streams of the command line: what was asked for on stdout, everything else on stderr. */
import { oneLine, withoutCommands } from "./printable.ts";
import { ProgressLine } from "./progress_line.ts";
import { Sink, type Stream } from "./sink.ts";
import { type ColorDepth, colorDepth, type Style, styleFor } from "./style.ts";

export class Output {
  /** Whether `--json` was asked for; errors are then told on stdout too. */
  json = false;
  readonly env: NodeJS.ProcessEnv;
  readonly outStyle: Style;
  readonly errStyle: Style;
  readonly outDepth: ColorDepth;
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  readonly #progress: ProgressLine | undefined;

  constructor(stdout: Stream, stderr: Stream, env: NodeJS.ProcessEnv) {
    const [out, err] = [new Sink(stdout), new Sink(stderr)];
    this.#stdout = out;
    this.#stderr = err;
    this.env = env;
    this.outDepth = colorDepth(out.isTerminal, env);
    this.outStyle = styleFor(this.outDepth);
    this.errStyle = styleFor(colorDepth(err.isTerminal, env));
    const animated = err.isTerminal && env["TERM"] !== "dumb";
    this.#progress = animated
      ? new ProgressLine(
          (text) => err.write(text),
          () => err.columns,
        )
      : undefined;
  }

  get outIsTerminal(): boolean {
    return this.#stdout.isTerminal;
  }

  get errIsTerminal(): boolean {
    return this.#stderr.isTerminal;
  }

  get outColumns(): number {
    return this.#stdout.columns;
  }

  get outRows(): number {
    return this.#stdout.rows;
  }

  /** Whether nobody reads as fast as this program writes: what is not needed may be left out. */
  get isFull(): boolean {
    return this.#stdout.isFull || this.#stderr.isFull;
  }

  /** Why stdout did not get all that was written to it, other than that its reader left. */
  get failure(): Error | undefined {
    return this.#stdout.failure;
  }

  /** Called when nobody reads stdout any more. */
  onReaderGone(listener: () => void): void {
    this.#stdout.onGone(listener);
  }

  /** Text to stdout, as it is. */
  write(text: string): void {
    this.#progress?.clear();
    this.#stdout.write(text);
    // Stdout may have stopped inside a line on the terminal that the progress line would overwrite.
    if (text.endsWith("\n")) this.#progress?.redraw();
  }

  /** A line to stdout. */
  line(text = ""): void {
    this.write(`${text}\n`);
  }

  /** A value to stdout: indented for a person, one line for a program. */
  value(value: unknown): void {
    this.line(JSON.stringify(value, undefined, this.outIsTerminal ? 2 : undefined));
  }

  /** One of many values to stdout: a line each, for whoever reads along. */
  event(value: object): void {
    this.line(JSON.stringify(value));
  }

  /** A line to stderr. Extensions have their words in many of them, and stderr may be a terminal. */
  note(text: string): void {
    this.#progress?.clear();
    this.#stderr.write(`${withoutCommands(text)}\n`);
    this.#progress?.redraw();
  }

  /** What goes on right now: a line that moves on a terminal, a line for each change elsewhere. */
  progress(text: string): void {
    if (this.#progress !== undefined) this.#progress.show(text);
    else if (!this.isFull) this.note(oneLine(text));
  }

  /** What goes on right now, only worth telling where it can be taken back. */
  activity(text: string): void {
    this.#progress?.show(text);
  }

  /** What goes on from now on instead of what was told last, if anything was. */
  replaceActivity(text: string): void {
    this.#progress?.replace(text);
  }

  progressDone(): void {
    this.#progress?.hide();
  }

  /** Settles when both streams have handed over all that was written, or their readers are gone. */
  async flush(): Promise<void> {
    this.progressDone();
    await Promise.all([this.#stdout.flush(), this.#stderr.flush()]);
  }
}
