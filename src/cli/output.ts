/** The two streams of the command line: what was asked for on stdout, everything else on stderr. */
import { ProgressLine } from "./progress_line.ts";
import { type ColorDepth, colorDepth, type Style, styleFor } from "./style.ts";

type Stream = NodeJS.WriteStream;
type Environment = Readonly<Record<string, string | undefined>>;

export class Output {
  /** Whether `--json` was asked for; errors are then told on stdout too. */
  json = false;
  readonly env: Environment;
  readonly #stdout: Stream;
  readonly #stderr: Stream;
  readonly #progress: ProgressLine | undefined;
  readonly outStyle: Style;
  readonly errStyle: Style;
  readonly outDepth: ColorDepth;
  #readerGone: () => void = () => {};

  constructor(stdout: Stream, stderr: Stream, env: Environment) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.env = env;
    this.outDepth = colorDepth(stdout.isTTY === true, env);
    this.outStyle = styleFor(this.outDepth);
    this.errStyle = styleFor(colorDepth(stderr.isTTY === true, env));
    const animated = stderr.isTTY === true && env["TERM"] !== "dumb";
    this.#progress = animated
      ? new ProgressLine(
          (text) => this.#write(stderr, text),
          () => this.errColumns,
        )
      : undefined;
    // A reader that left (`| head`) is no fault: what follows goes nowhere, and the command may stop.
    for (const stream of [stdout, stderr]) stream.on("error", () => stream === stdout && this.#readerGone());
  }

  get outIsTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  get errIsTerminal(): boolean {
    return this.#stderr.isTTY === true;
  }

  get outColumns(): number {
    return this.#stdout.columns || 80;
  }

  get outRows(): number {
    return this.#stdout.rows || 24;
  }

  get errColumns(): number {
    return this.#stderr.columns || 80;
  }

  /** Called when nobody reads stdout any more. */
  onReaderGone(listener: () => void): void {
    this.#readerGone = listener;
  }

  /** Text to stdout, as it is. */
  write(text: string): void {
    this.#progress?.clear();
    this.#write(this.#stdout, text);
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

  /** A line to stderr. */
  note(text: string): void {
    this.#progress?.clear();
    this.#write(this.#stderr, `${text}\n`);
    this.#progress?.redraw();
  }

  /** What goes on right now: a line that moves on a terminal, a line for each change elsewhere. */
  progress(text: string): void {
    if (this.#progress === undefined) this.note(text);
    else this.#progress.show(text);
  }

  /** What goes on right now, only worth telling where it can be taken back. */
  activity(text: string): void {
    this.#progress?.show(text);
  }

  progressDone(): void {
    this.#progress?.hide();
  }

  /** Settles when both streams have handed over all that was written, or their readers are gone. */
  async flush(): Promise<void> {
    this.progressDone();
    await Promise.all([flushed(this.#stdout), flushed(this.#stderr)]);
  }

  #write(stream: Stream, text: string): void {
    if (stream.writable) stream.write(text);
  }
}

function flushed(stream: Stream): Promise<void> {
  if (!stream.writable) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("close", resolve);
    stream.once("error", () => resolve());
    stream.write("", () => resolve());
  });
}
