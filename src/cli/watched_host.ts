/** A host for one extension and one command, which tells its author what the extension writes beside its answers. */
import { type HostEvent, OWN_DIAGNOSTICS } from "../host/events.ts";
import { exitText } from "../host/exits.ts";
import type { Host } from "../host/host.ts";
import type { Exit } from "../host/platform.ts";
import { ExtensionError, RpcError } from "../rpc/errors.ts";
import type { Cli } from "./context.ts";
import { ReportedError } from "./errors.ts";
import { EventLines } from "./event_lines.ts";
import { withHost } from "./with_host.ts";

/** Of what could not be used; the first says most. */
const SHOWN = 5;
const AS_IT_COMES: readonly HostEvent["type"][] = ["stdout", "stderr", "message"];

/** Flags of the commands that have such a host. */
export interface WatchFlags {
  /** Tell what it writes as it comes; else only what could not be used, when the command is done. */
  readonly verbose?: boolean;
  /** Tell every message in either direction as it comes, and when. Asks for `verbose` too. */
  readonly trace?: boolean;
  readonly maxMessageBytes?: number;
}

/** Runs `work` as `withHost` does, with a host for the extension `id`. */
export async function withWatchedHost<T>(
  cli: Cli,
  id: string,
  flags: WatchFlags,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const { trace, maxMessageBytes } = flags;
  const watch = new Watch(cli, id, flags);
  const onEvent = (event: HostEvent): void => watch.event(event);
  try {
    const result = await withHost(cli, { limits: { maxMessageBytes }, onEvent, trace }, work);
    watch.tell();
    return result;
  } catch (error) {
    watch.tell(error);
    throw error;
  }
}

/** What one extension did beside its answers. */
class Watch {
  readonly #cli: Cli;
  readonly #id: string;
  /** Else when the command is done. */
  readonly #tellsAsItComes: boolean;
  readonly #lines: EventLines;
  /** The first things that could not be used, and how many there were. */
  readonly #useless: HostEvent[] = [];
  #uselessCount = 0;
  #stderrLines = 0;
  #isReady = false;
  /** How it ended, if that was not as it should have. */
  #badEnd: string | undefined;

  constructor(cli: Cli, id: string, { verbose = false, trace = false }: WatchFlags) {
    this.#cli = cli;
    this.#id = id;
    this.#tellsAsItComes = verbose || trace;
    this.#lines = new EventLines([id], cli.output.errStyle, trace ? "ms" : undefined);
  }

  event(event: HostEvent): void {
    if (event.type === "state" && event.state === "ready") this.#isReady = true;
    if (event.type === "exit" && event.expected && event.code !== 0) this.#badEnd = badEnd(event);
    if (event.type === "stderr") this.#stderrLines++;
    const isUseless = event.type === "diagnostic" && !OWN_DIAGNOSTICS.includes(event.code);
    if (this.#tellsAsItComes && (isUseless || AS_IT_COMES.includes(event.type))) {
      if (!this.#cli.output.isFull) this.#show(event);
    } else if (isUseless && this.#uselessCount++ < SHOWN) this.#useless.push(event);
  }

  #show(event: HostEvent): void {
    const line = this.#lines.of(event);
    if (line !== undefined) this.#cli.output.note(line);
  }

  /** Tells what has not been told. `error`: why the command is not done, if it is not. */
  tell(error?: unknown): void {
    const { output, interruption } = this.#cli;
    const name = this.#lines.name(this.#id);
    const isInterrupted = interruption.signal.aborted;
    // Its message ends with all of it.
    if (error instanceof ExtensionError && !isInterrupted) return;
    for (const event of this.#useless) this.#show(event);
    const more = this.#uselessCount - this.#useless.length;
    if (more > 0) output.note(`${name} … ${more} more of these; use --verbose to see them all`);
    const mark = output.errStyle.yellow("!");
    if (isInterrupted && !this.#isReady) output.note(`${name} ${mark} interrupted before it was ready`);
    else if (!isInterrupted && this.#badEnd !== undefined) output.note(`${name} ${mark} ${this.#badEnd}`);
    // The extension said that it failed, or ended as if it had, or nobody knows what it does.
    const isUnclear = isInterrupted
      ? error !== undefined
      : error instanceof RpcError || error instanceof ReportedError || this.#badEnd !== undefined;
    if (isUnclear && this.#stderrLines > 0 && !this.#tellsAsItComes) {
      const [lines, them] = this.#stderrLines === 1 ? ["a line", "it"] : [`${this.#stderrLines} lines`, "them"];
      output.note(`${name} … wrote ${lines} to stderr; use --verbose to see ${them}`);
    }
  }
}

function badEnd(exit: Exit): string {
  if (exit.signal === "SIGKILL") return "did not exit in time after shutdown and was killed";
  return `${exitText(exit)} when it was told to shut down`;
}
