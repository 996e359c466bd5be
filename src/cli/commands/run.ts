/** `extwire run`: the long-lived host. */
import { access } from "node:fs/promises";
import type { HostEvent } from "../../host/events.ts";
import type { Host } from "../../host/host.ts";
import type { ExtensionManifest } from "../../host/manifest.ts";
import { testPattern } from "../../mx/test_pattern.ts";
import { deferred } from "../../rpc/deferred.ts";
import { ExtensionError } from "../../rpc/errors.ts";
import type { Cli } from "../context.ts";
import { EventLines } from "../event_lines.ts";
import { ExitCode, exitCodeOf, ReportedError, UsageError } from "../exit_codes.ts";
import type { Output } from "../output.ts";
import { resolveTargets } from "../target.ts";
import { withHost } from "../with_host.ts";

export interface RunFlags {
  readonly config?: string;
  readonly json?: boolean;
  readonly protocol?: "dhara" | "mx";
}

const CONFIG_FILES = ["extwire.yaml", "extwire.toml", "extwire.json"];

export async function run(this: Cli, flags: RunFlags, ...targets: string[]): Promise<void> {
  const { output, interruption, rest, self } = this;
  output.json = flags.json === true;
  const files = await configFiles(flags.config, targets, rest !== undefined);
  const manifests = await resolveTargets(files, { rest, protocol: flags.protocol, self });
  const events = new ReadEvents(output, output.json ? jsonEvents(output) : textEvents(output, manifests));
  output.onReaderGone(() => interruption.end(ExitCode.done));
  const over = new AllOver(manifests);
  let running: Host | undefined;
  const onEvent = (event: HostEvent): void => {
    events.event(event);
    over.event(event, (id) => running?.extensions().some((each) => each.id === id && each.pid !== undefined) ?? true);
  };
  const work = withHost(this, { vms: testPattern(), onEvent }, async (host) => {
    running = host;
    // Nobody uses an extension here, which is what starts one again elsewhere.
    const starts = manifests.map((manifest) => start(host, manifest, over));
    await Promise.all([...starts, over.settled]);
  });
  await work.finally(() => events.end());
  throw over.error;
}

/** A failed start is shown as a state; the host tries again by itself. */
async function start(host: Host, manifest: ExtensionManifest, over: AllOver): Promise<void> {
  const restart = manifest.restart === false ? false : "always";
  try {
    await host.start({ ...manifest, restart });
  } catch (error) {
    over.failed(manifest.id, error);
  }
}

/** Waits until no extension runs or will run again: a host of nothing has nothing to do. */
class AllOver {
  readonly #settled = deferred();
  readonly #waiting: Set<string>;
  readonly #once: ReadonlySet<string>;
  #firstFailure: unknown;

  constructor(manifests: readonly ExtensionManifest[]) {
    this.#waiting = new Set(manifests.map(({ id }) => id));
    this.#once = new Set(manifests.filter(({ restart }) => restart === false).map(({ id }) => id));
  }

  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Why the program ends; what happened stands in the events already. */
  get error(): Error {
    const error = this.#firstFailure;
    return error instanceof ExtensionError
      ? new ReportedError(error.message, exitCodeOf(error))
      : new ReportedError("all extensions ended");
  }

  failed(id: string, error: unknown): void {
    this.#firstFailure ??= error;
    if (this.#once.has(id)) this.#over(id);
  }

  /** `isRunning`: an MX extension may call itself failed and live on. */
  event(event: HostEvent, isRunning: (id: string) => boolean): void {
    if (event.type !== "state") return;
    const { extension, state } = event;
    const isLast = state === "failed" || (state === "stopped" && this.#once.has(extension));
    if (isLast && !isRunning(extension)) this.#over(extension);
  }

  #over(id: string): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#settled.resolve();
  }
}

/** Leaves out the lines of extensions while nobody reads them as fast as they come, and says how many those were. */
class ReadEvents {
  readonly #output: Output;
  readonly #show: (event: HostEvent) => void;
  #leftOut = 0;

  constructor(output: Output, show: (event: HostEvent) => void) {
    this.#output = output;
    this.#show = show;
  }

  event(event: HostEvent): void {
    const { isFull } = this.#output;
    if (isFull && (event.type === "stdout" || event.type === "stderr" || event.type === "diagnostic")) {
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
    if (json) this.#output.value({ time: new Date().toISOString(), type: "left-out", lines });
    else this.#output.note(errStyle.dim(`… ${lines} lines were left out: they came faster than they were read`));
  }
}

function jsonEvents(output: Output): (event: HostEvent) => void {
  return (event) => output.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`);
}

/** What an extension prints on stdout stays on stdout, everything else is told on stderr. */
function textEvents(output: Output, manifests: readonly ExtensionManifest[]): (event: HostEvent) => void {
  const ids = manifests.map(({ id }) => id);
  const [out, err] = [new EventLines(ids, output.outStyle), new EventLines(ids, output.errStyle)];
  return (event) => {
    const isOut = event.type === "stdout";
    const line = (isOut ? out : err).of(event);
    if (line === undefined) return;
    const time = (isOut ? output.outStyle : output.errStyle).dim(new Date().toTimeString().slice(0, 8));
    if (isOut) output.line(`${time} ${line}`);
    else output.note(`${time} ${line}`);
  };
}

/** TARGETs as they are; else the config that was named or that lies here. */
async function configFiles(
  config: string | undefined,
  targets: readonly string[],
  hasCommand: boolean,
): Promise<readonly string[]> {
  if (config !== undefined) {
    if (targets.length > 0 || hasCommand)
      throw new UsageError("--config takes the place of a TARGET; give one of them");
    return [config];
  }
  if (targets.length > 0 || hasCommand) return targets;
  const found: string[] = [];
  for (const name of CONFIG_FILES)
    if (
      await access(name).then(
        () => true,
        () => false,
      )
    )
      found.push(name);
  if (found.length === 1) return found;
  const choice = `name a TARGET, or --config FILE`;
  if (found.length > 1) throw new UsageError(`${found.join(" and ")} are both here; ${choice}`);
  throw new UsageError(`there is no ${CONFIG_FILES.join(", ")} here; ${choice}`);
}
