/** A host for one extension and one command, which tells its author what the extension writes beside its answers. */
import { type HostEvent, OWN_DIAGNOSTICS } from "../host/events.ts";
import type { Host } from "../host/host.ts";
import { ExtensionError } from "../rpc/errors.ts";
import type { Cli } from "./context.ts";
import { EventLines } from "./event_lines.ts";
import { withHost } from "./with_host.ts";

/** Of what could not be used; the first says most. */
const SHOWN = 5;

export interface WatchOptions {
  /** The extension. */
  readonly id: string;
  /** Tell what it writes as it comes; else only what could not be used, when the command is done. */
  readonly verbose: boolean;
}

/** Runs `work` as `withHost` does. */
export async function withWatchedHost<T>(
  cli: Cli,
  { id, verbose }: WatchOptions,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const { output, interruption } = cli;
  const lines = new EventLines([id], output.errStyle);
  const useless: HostEvent[] = [];
  let count = 0;
  const onEvent = (event: HostEvent): void => {
    const isUseless = event.type === "diagnostic" && !OWN_DIAGNOSTICS.includes(event.code);
    if (!isUseless && !(verbose && (event.type === "stderr" || event.type === "stdout"))) return;
    if (verbose) {
      if (!output.isFull) output.note(lines.of(event) ?? "");
      return;
    }
    if (count++ < SHOWN) useless.push(event);
  };
  const tell = (): void => {
    if (interruption.signal.aborted) return;
    for (const event of useless) output.note(lines.of(event) ?? "");
    if (count > SHOWN) output.note(`${lines.name(id)} … ${count - SHOWN} more of these; --verbose shows them all`);
  };
  try {
    const result = await withHost(cli, { onEvent }, work);
    tell();
    return result;
  } catch (error) {
    // The others' messages end with it.
    if (!(error instanceof ExtensionError)) tell();
    throw error;
  }
}
