/** A host for one extension and one command, which tells its author what the extension writes beside its answers. */
import { type HostEvent, OWN_DIAGNOSTICS } from "../host/events.ts";
import type { Host } from "../host/host.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { clockTime } from "./clock_time.ts";
import type { Cli } from "./context.ts";
import { EventLines } from "./event_lines.ts";
import { withHost } from "./with_host.ts";

/** Of what could not be used; the first says most. */
const SHOWN = 5;
const AS_IT_COMES: readonly HostEvent["type"][] = ["stdout", "stderr", "message"];

export interface WatchOptions {
  /** The extension. */
  readonly id: string;
  /** Tell what it writes as it comes; else only what could not be used, when the command is done. */
  readonly verbose: boolean | undefined;
  /** Tell every message in either direction as it comes, and when. Asks for `verbose` too. */
  readonly trace: boolean | undefined;
  readonly maxMessageBytes: number | undefined;
}

/** Runs `work` as `withHost` does. */
export async function withWatchedHost<T>(
  cli: Cli,
  { id, verbose, trace = false, maxMessageBytes }: WatchOptions,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const { output, interruption } = cli;
  const lines = new EventLines([id], output.errStyle);
  const useless: HostEvent[] = [];
  let count = 0;
  const isTold = verbose || trace;
  const onEvent = (event: HostEvent): void => {
    const isUseless = event.type === "diagnostic" && !OWN_DIAGNOSTICS.includes(event.code);
    if (!isUseless && !(isTold && AS_IT_COMES.includes(event.type))) return;
    if (isTold) {
      const time = trace ? `${output.errStyle.dim(clockTime(true))} ` : "";
      if (!output.isFull) output.note(`${time}${lines.of(event)}`);
    } else if (count++ < SHOWN) useless.push(event);
  };
  const tell = (): void => {
    if (interruption.signal.aborted) return;
    for (const event of useless) output.note(lines.of(event) ?? "");
    if (count > SHOWN) output.note(`${lines.name(id)} … ${count - SHOWN} more of these; --verbose shows them all`);
  };
  try {
    const result = await withHost(cli, { limits: { maxMessageBytes }, onEvent, trace }, work);
    tell();
    return result;
  } catch (error) {
    // The others' messages end with it.
    if (!(error instanceof ExtensionError)) tell();
    throw error;
  }
}
