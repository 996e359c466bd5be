/** What happens to extensions, a line each, for a person who watches. */
import type { HostEvent, RunState } from "../host/events.ts";
import { exitText } from "../host/exits.ts";
import { type ClockPrecision, clockTime } from "./clock_time.ts";
import { oneLine, printable } from "./printable.ts";
import type { Paint, Style } from "./style.ts";
import { padEnd } from "./text_width.ts";

/** Of a message; pictures in it are longer than anybody reads. */
const SHOWN_CHARACTERS = 4_000;
const ID_COLORS = ["cyan", "magenta", "blue", "yellow", "green"] as const;

/** Tells `ids` apart by colour and lines them up. Begins each with the time where that has a precision. */
export class EventLines {
  readonly #style: Style;
  readonly #precision: ClockPrecision | undefined;
  readonly #width: number;
  readonly #paints: ReadonlyMap<string, Paint>;
  /** Those whose last process ended unasked, and how, which has been told. */
  readonly #died = new Map<string, string>();

  constructor(ids: readonly string[], style: Style, precision?: ClockPrecision) {
    this.#style = style;
    this.#precision = precision;
    this.#width = Math.max(0, ...ids.map((id) => id.length));
    this.#paints = new Map(ids.map((id, i) => [id, style[ID_COLORS[i % ID_COLORS.length]!]]));
  }

  /** The line of an event; undefined for one that says nothing new to a person. */
  of(event: HostEvent): string | undefined {
    const text = this.#text(event);
    if (text === undefined) return undefined;
    const time = this.#precision ? `${this.#style.dim(clockTime(this.#precision))} ` : "";
    return `${time}${this.name(event.extension)} ${text}`;
  }

  name(id: string): string {
    const paint = this.#paints.get(id) ?? this.#style.bold;
    return paint(padEnd(id, this.#width));
  }

  #text(event: HostEvent): string | undefined {
    const { dim, red, yellow } = this.#style;
    switch (event.type) {
      case "state":
        if (event.state === "stopped" && this.#isTold(event.extension, event.message)) return undefined;
        this.#died.delete(event.extension);
        return `${this.mark(event.state)} ${event.state}${event.message ? dim(`  ${gist(event.state, event.message)}`) : ""}`;
      case "status":
        // Its state and message were told as the state.
        return undefined;
      case "tools":
        return `${dim("·")} tools: ${event.tools.map(({ name }) => oneLine(name)).join(", ") || "none"}`;
      case "stdout":
        return `${dim("│")} ${printable(event.line)}`;
      case "stderr":
        return `${yellow("│")} ${printable(event.line)}`;
      case "diagnostic":
        return `${yellow("!")} ${oneLine(event.message)}`;
      case "message":
        return `${dim(event.direction === "sent" ? "→" : "←")} ${event.text === undefined ? `attachment, ${event.bytes} bytes` : messageLine(event.text)}`;
      case "exit":
        // How one ended that was asked to is told as its state.
        if (event.expected) return undefined;
        this.#died.set(event.extension, exitText(event));
        return red(`✖ ${exitText(event)} unexpectedly`);
    }
  }

  /** Not where the host ended it: then the message says why, and how it ended says nothing. */
  #isTold(extension: string, message = ""): boolean {
    const how = this.#died.get(extension);
    return how !== undefined && (message === "" || message.includes(how));
  }

  mark(state: string): string {
    const { dim, green, red, yellow } = this.#style;
    if (state === "ready") return green("●");
    if (state === "failed") return red("✖");
    return state === "stopped" ? dim("○") : yellow(state === "degraded" ? "●" : "◌");
  }
}

function messageLine(text: string): string {
  const line = printable(text.slice(0, SHOWN_CHARACTERS)).replace(/\s*\n\s*/g, " ");
  return text.length > SHOWN_CHARACTERS ? `${line}… ${text.length} characters in all` : line;
}

/** What the message of a state says that is new: what the extension wrote stands on lines of its own, and was shown as it came. */
function gist(state: RunState, message: string): string {
  // A start that waits says how long, and then what failed, which was told when it did.
  const [told] = message.split(state === "starting" ? ":" : "\n", 1);
  return oneLine(told!);
}
