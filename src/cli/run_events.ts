/** What `extwire run` shows as it goes: all that happens, as far as somebody reads it. */
import type { HostEvent } from "../host/events.ts";
import type { ClockPrecision } from "./clock_time.ts";
import { EventLines } from "./event_lines.ts";
import type { Output } from "./output.ts";

/** What may be left out. */
const LINES: readonly HostEvent["type"][] = ["stdout", "stderr", "diagnostic", "message"];

/** Leaves out the lines of extensions while nobody reads them as fast as they come, and says how many those were. */
export class RunEvents {
  readonly #output: Output;
  readonly #show: (event: HostEvent) => void;
  #leftOut = 0;

  /** JSON where that was asked for, else lines for a person, which tell `ids` apart. */
  constructor(output: Output, ids: readonly string[], precision: ClockPrecision) {
    this.#output = output;
    this.#show = output.json ? jsonEvents(output) : textEvents(output, ids, precision);
  }

  event(event: HostEvent): void {
    const { isFull } = this.#output;
    if (isFull && LINES.includes(event.type)) {
      this.#leftOut++;
      return;
    }
    if (!isFull) this.end();
    this.#show(event);
  }

  /** Tells what has not been told. */
  end(): void {
    const lines = this.#leftOut;
    if (lines === 0) return;
    this.#leftOut = 0;
    const { json, errStyle } = this.#output;
    if (json) this.#output.event({ time: new Date().toISOString(), type: "left-out", lines });
    else this.#output.note(errStyle.dim(`… ${lines} lines were dropped: output was not read fast enough`));
  }
}

function jsonEvents(output: Output): (event: HostEvent) => void {
  return (event) => output.event({ time: new Date().toISOString(), ...event });
}

/** What an extension prints on stdout stays on stdout, everything else is told on stderr. */
function textEvents(output: Output, ids: readonly string[], precision: ClockPrecision): (event: HostEvent) => void {
  const out = new EventLines(ids, output.outStyle, precision);
  const err = new EventLines(ids, output.errStyle, precision);
  return (event) => {
    const isOut = event.type === "stdout";
    const line = (isOut ? out : err).of(event);
    if (line === undefined) return;
    if (isOut) output.line(line);
    else output.note(line);
  };
}
