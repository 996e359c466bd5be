/** One line at the bottom of a terminal that moves while something takes its time. */
import { formatDuration } from "./duration.ts";
import { oneLine } from "./printable.ts";
import { truncate } from "./text_width.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const FRAME_MS = 80;
const LONGEST = 1_000;
/** A time is only worth showing once somebody might wonder. */
const TIME_FROM_MS = 1_000;

export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #columns: () => number;
  #text: string | undefined;
  #since = 0;
  #frame = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(write: (text: string) => void, columns: () => number) {
    this.#write = write;
    this.#columns = columns;
  }

  show(text: string): void {
    if (this.#text === undefined) this.#since = performance.now();
    // Of a long one no terminal shows more, and it is measured anew for every frame.
    this.#text = oneLine(text.slice(0, LONGEST));
    this.redraw();
    this.#timer ??= setInterval(() => {
      this.#frame++;
      this.redraw();
    }, FRAME_MS);
    // Only decoration: it must not keep the program alive.
    this.#timer.unref();
  }

  /** Another text, and its time from now, if there is a line at all. */
  replace(text: string): void {
    if (this.#text === undefined) return;
    this.#since = performance.now();
    this.show(text);
  }

  /** Takes the line away until `redraw`, so that something else can be printed. */
  clear(): void {
    if (this.#text !== undefined) this.#write("\r\x1b[2K");
  }

  redraw(): void {
    if (this.#text === undefined) return;
    const ms = performance.now() - this.#since;
    const time = ms < TIME_FROM_MS ? "" : `  ${formatDuration(ms)}`;
    const text = truncate(this.#text, this.#columns() - 4 - time.length);
    this.#write(`\r\x1b[2K\x1b[36m${FRAMES[this.#frame % FRAMES.length]}\x1b[39m ${text}\x1b[2m${time}\x1b[22m`);
  }

  hide(): void {
    this.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#text = undefined;
  }
}
