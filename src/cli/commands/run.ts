/** `extwire run`: the long-lived host. */
import { existsSync } from "node:fs";
import type { HostEvent } from "../../host/events.ts";
import type { Host } from "../../host/host.ts";
import type { ExtensionManifest } from "../../host/manifest.ts";
import { testPattern } from "../../mx/test_pattern.ts";
import { deferred } from "../../rpc/deferred.ts";
import { ExtensionError } from "../../rpc/errors.ts";
import type { Cli } from "../context.ts";
import { ReportedError, UsageError } from "../errors.ts";
import { ExitCode, exitCodeOf } from "../exit_codes.ts";
import { RunEvents } from "../run_events.ts";
import { resolveTargets } from "../target.ts";
import { withHost } from "../with_host.ts";

export interface RunFlags {
  readonly config?: string;
  readonly json?: boolean;
  readonly trace?: boolean;
  readonly protocol?: "dhara" | "mx";
  readonly maxMessageBytes?: number;
}

const CONFIG_FILES = ["extwire.yaml", "extwire.toml", "extwire.json"];

export async function run(this: Cli, flags: RunFlags, ...targets: string[]): Promise<void> {
  const { output, interruption, rest, self } = this;
  output.json = flags.json === true;
  const files = configFiles(flags.config, targets, rest !== undefined);
  const manifests = await resolveTargets(files, { rest, protocol: flags.protocol, self });
  const events = new RunEvents(
    output,
    manifests.map(({ id }) => id),
    flags.trace ? "ms" : "s",
  );
  output.onReaderGone(() => interruption.end(ExitCode.done));
  const over = new AllOver(manifests);
  let running: Host | undefined;
  const onEvent = (event: HostEvent): void => {
    events.event(event);
    over.event(event, (id) => running?.extensions().some((each) => each.id === id && each.pid !== undefined) ?? true);
  };
  const limits = { maxMessageBytes: flags.maxMessageBytes };
  const work = withHost(this, { vms: testPattern(), limits, onEvent, trace: flags.trace }, async (host) => {
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
      : new ReportedError("all extensions have ended and none will be restarted");
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

/** TARGETs as they are; else the config that was named or that lies here. */
function configFiles(config: string | undefined, targets: readonly string[], hasCommand: boolean): readonly string[] {
  if (config !== undefined) {
    if (targets.length > 0 || hasCommand)
      throw new UsageError("give only one of --config, a TARGET and a command after --");
    return [config];
  }
  if (targets.length > 0 || hasCommand) return targets;
  const found = CONFIG_FILES.filter((name) => existsSync(name));
  if (found.length === 1) return found;
  const choice = "name a TARGET, or --config FILE";
  if (found.length > 1) throw new UsageError(`found ${found.join(" and ")} in this folder; ${choice}`);
  throw new UsageError(`there is no ${CONFIG_FILES.join(", ")} here; ${choice}`);
}
