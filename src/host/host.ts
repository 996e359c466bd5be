/// <reference lib="esnext.disposable" preserve="true" />
/** Many extensions, of both protocols, behind one object. */

import type { ExecuteOptions } from "../dhara/host.ts";
import { unknownName } from "../dhara/suggest.ts";
import type { ToolInfo, ToolResult } from "../dhara/types.ts";
import { testPattern } from "../mx/test_pattern.ts";
import type { ExtensionStatus } from "../mx/types.ts";
import type { VmRuntime } from "../mx/vm_runtime.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { type GivenLimits, withDefaultLimits } from "../rpc/limits.ts";
import { DEFAULT_TIMEOUT_MS } from "../rpc/peer_options.ts";
import { waitFor } from "../rpc/wait.ts";
import { type Clock, systemClock } from "./clock.ts";
import { DharaDriver } from "./dhara_driver.ts";
import { type ExtensionSnapshot, type HostEvent, type HostListener, Listeners } from "./events.ts";
import { ExtensionHandle } from "./handle.ts";
import { type Hosted, snapshot } from "./hosted.ts";
import { checkManifest, type ExtensionManifest } from "./manifest.ts";
import { MxDriver } from "./mx_driver.ts";
import type { Platform } from "./platform.ts";
import { Poller } from "./poller.ts";
import { Supervisor, type SupervisorOptions } from "./supervisor.ts";
import { ToolIndex } from "./tool_index.ts";

/** What a host serves to extensions, its limits, times and listeners. */
export interface HostOptions {
  /** What MX extensions see of virtual machines. Default: a moving test pattern. */
  readonly vms?: VmRuntime | undefined;
  readonly limits?: GivenLimits | undefined;
  /**
   * The host's working folder, an absolute path: what `initialize` tells Dhara extensions (D-06), and the working folder of
   * processes whose manifest has no `cwd`. Default: the platform's.
   */
  readonly cwd?: string | undefined;
  readonly onEvent?: HostListener | undefined;
  /**
   * Report every message in either direction as a `message` event. These events contain the inputs and results of tools.
   * Default false.
   */
  readonly trace?: boolean | undefined;
  /** Called when a listener or a progress callback threw. Default: the error is printed with `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** How often an MX extension is asked for its status once it is ready, in ms; 0 means never. Default 5,000. */
  readonly statusIntervalMs?: number | undefined;
  /** The source of time; a test may supply its own. */
  readonly clock?: Clock | undefined;
}

/** Progress, timeout and cancelling of one call, and which extension is meant. */
export interface HostExecuteOptions extends ExecuteOptions {
  /** The id of the extension, if several have a tool of that name. */
  readonly extension?: string | undefined;
}

/**
 * Hosts extensions: starts them, calls their tools, restarts those that die, and stops them all.
 *
 * @example
 * ```ts
 * import { Host } from "extwire";
 * import { node } from "extwire/node";
 * await using host = new Host(node());
 * const args = ["examples/python/dhara_extension.py"];
 * await host.start({ id: "python-tools", protocol: "dhara", command: "python3", args });
 * const { content } = await host.execute("draw_gradient", { width: 8, height: 8 });
 * console.log(content[0]?.type); // image
 * ```
 */
export class Host {
  readonly #platform: Platform;
  readonly #options: HostOptions;
  readonly #listeners: Listeners;
  readonly #hosted = new Map<string, Hosted>();
  readonly #index = new ToolIndex(() => this.#dhara());
  readonly #poller: Poller;
  readonly #dharaOptions: SupervisorOptions<DharaDriver>;
  readonly #mxOptions: SupervisorOptions<MxDriver>;
  /** Made for the first MX extension where none is given. */
  #vms: VmRuntime | undefined;
  #closing: Promise<void> | undefined;

  constructor(platform: Platform, options: HostOptions = {}) {
    this.#platform = platform;
    this.#options = options;
    this.#vms = options.vms;
    this.#listeners = new Listeners(options.onError ?? ((error) => console.error(error)));
    this.#poller = new Poller(options.statusIntervalMs ?? 5_000, () => this.#polled());
    if (options.onEvent) this.#listeners.add(options.onEvent);
    const common = {
      platform,
      limits: withDefaultLimits(options.limits),
      trace: options.trace ?? false,
      clock: options.clock ?? systemClock,
      emit: (event: HostEvent) => this.#emit(event),
      error: (error: unknown) => this.#listeners.report(error),
    };
    this.#dharaOptions = { ...common, drive: (hooks) => new DharaDriver(hooks) };
    this.#mxOptions = { ...common, drive: (hooks) => new MxDriver(hooks, platform, (this.#vms ??= testPattern())) };
  }

  /**
   * Starts an extension. Resolves when its handshake is done and, for MX, its status is known (M-17).
   * Aborting `signal` rejects at once and stops the extension.
   *
   * Rejects with an ExtensionError: `bad-manifest`; `start-failed` if the command can't be run or ends too early;
   * `handshake-failed`; `closed` if the extension is stopped meanwhile. The error says what was run, how it ended and its last
   * lines on stderr. No process is left behind.
   */
  async start(
    manifest: ExtensionManifest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ExtensionHandle> {
    const checked = checkManifest(manifest);
    const { id } = checked;
    signal?.throwIfAborted();
    if (this.#closing) throw hostClosed(`extension '${id}' was not started`);
    const known = this.#hosted.get(id)?.supervisor;
    if (known && !known.idle) {
      const why = `extension '${id}' already exists and is ${known.state}; await its stop first, or give this one another id`;
      throw new ExtensionError("start-failed", why, { extension: id });
    }
    const hosted = this.#make(checked);
    this.#hosted.set(id, hosted);
    await hosted.supervisor.start(signal);
    return new ExtensionHandle(id, checked.protocol, this, () => this.#get(id));
  }

  /** The tools of all extensions that are running, or that will be started again on their next use. */
  tools(): (ToolInfo & { readonly extension: string })[] {
    return [...this.#dhara()].flatMap(({ tools, manifest }) =>
      tools.map((tool) => ({ ...tool, extension: manifest.id })),
    );
  }

  /**
   * Runs a tool (D-08). Waits for a start in progress, and restarts an extension that has died. Such a wait is also
   * limited to the call's timeout, which starts again when the call is sent.
   *
   * Rejects with an RpcError: the extension's answer, or -32602 for an input that does not fit the tool's schema. With an
   * ExtensionError: `unknown-tool`, `timeout`, `exited`, `failed`, `closed`, or another one of `start` or of
   * `DharaSession.execute`. Or with `signal.reason`.
   */
  execute(tool: string, input: unknown = {}, options: HostExecuteOptions = {}): Promise<ToolResult> {
    const supervisor = this.#find(tool, options.extension);
    const session = supervisor?.driver?.session;
    if (supervisor && session) return clearingFailures(supervisor, session.execute(tool, input, options));
    return this.#executeLater(tool, input, options);
  }

  /** Asks an MX extension for its status (M-17), and restarts it first if it has died. Rejects as `execute` does. */
  async reportStatus(id: string): Promise<ExtensionStatus> {
    const hosted = this.#get(id);
    if (hosted.protocol === "mx") return (await hosted.supervisor.use()).reportStatus();
    throw new ExtensionError("protocol", `extension '${id}' speaks Dhara, which has no status request`, {
      extension: id,
    });
  }

  /** All extensions that were started here and not removed, in that order, including stopped ones. */
  extensions(): ExtensionSnapshot[] {
    return [...this.#hosted.values()].map(snapshot);
  }

  /**
   * Stops an extension and starts it again (M-19); calls wait until it is ready. Rejects as `start` does. If `stop` is
   * called meanwhile, the extension stays stopped.
   */
  async restart(id: string): Promise<void> {
    const { supervisor } = this.#get(id);
    if (this.#closing) throw hostClosed(`extension '${id}' was not started`);
    await supervisor.restart();
  }

  /**
   * Stops an extension: asks it to shut down, waits until it exits or its grace time is over, then kills whatever is left of
   * its process group (D-09, D-13, M-19, X-20). Calls in flight that are not answered by then reject with `closed`.
   */
  async stop(id: string): Promise<void> {
    await this.#get(id).supervisor.stop();
  }

  /** Stops an extension and forgets it: its output, and its place in `extensions()`. A restart meanwhile rejects with `closed`. */
  async remove(id: string): Promise<void> {
    const hosted = this.#get(id);
    // Whoever restarts it meanwhile loses: what nobody knows of would never be stopped.
    do await hosted.supervisor.stop();
    while (!hosted.supervisor.idle);
    if (this.#hosted.get(id) === hosted) this.#hosted.delete(id);
    this.#index.forget();
  }

  /** Stops all extensions in parallel, and starts no more. Idempotent; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Calls `listener` with each event from now on. Returns a function that removes it. What a listener throws goes to `onError`. */
  on(listener: HostListener): () => void {
    return this.#listeners.add(listener);
  }

  async #close(): Promise<void> {
    this.#poller.stop();
    await Promise.all([...this.#hosted.values()].map(({ supervisor }) => supervisor.stop()));
  }

  async #executeLater(tool: string, input: unknown, options: HostExecuteOptions): Promise<ToolResult> {
    const { signal, extension, timeoutMs } = options;
    const what = `no extension with the tool '${tool}' became ready`;
    const wait = <T>(promise: Promise<T>, ms: number) => waitFor(promise, { signal, timeout: { ms, what } });
    signal?.throwIfAborted();
    if (extension !== undefined && this.#get(extension).protocol === "mx") {
      throw new ExtensionError("unknown-tool", `extension '${extension}' speaks MX, which has no tools`, { extension });
    }
    if (this.#find(tool, extension) === undefined) await wait(this.#allStarted(), timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const supervisor = this.#find(tool, extension);
    if (supervisor === undefined)
      throw this.#closing ? hostClosed(`'${tool}' was not called`) : this.#index.error(tool);
    const own = timeoutMs ?? supervisor.manifest.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const { session } = await wait(supervisor.use(), own);
    if (session === undefined) throw this.#index.error(tool);
    return clearingFailures(supervisor, session.execute(tool, input, options));
  }

  #make(manifest: ExtensionManifest): Hosted {
    const { protocol } = manifest;
    const cwd = this.#options.cwd ?? this.#platform.cwd();
    return protocol === "dhara"
      ? { protocol, supervisor: new Supervisor(manifest, cwd, this.#dharaOptions) }
      : { protocol, supervisor: new Supervisor(manifest, cwd, this.#mxOptions) };
  }

  #emit(event: HostEvent): void {
    if (event.type === "tools" || event.type === "state") this.#index.forget();
    if (event.type === "status" && !this.#closing) this.#poller.wake();
    this.#listeners.emit(event);
  }

  #get(id: string): Hosted {
    const hosted = this.#hosted.get(id);
    if (hosted) return hosted;
    throw new ExtensionError("unknown-tool", unknownName("extension", id, this.#hosted.keys()));
  }

  /** Whose tool is meant: of the extension that is named, or of the only one that has it. */
  #find(tool: string, extension: string | undefined): Supervisor<DharaDriver> | undefined {
    if (extension === undefined) return this.#index.only(tool);
    const hosted = this.#hosted.get(extension);
    return hosted?.protocol === "dhara" ? hosted.supervisor : undefined;
  }

  *#dhara(): Iterable<Supervisor<DharaDriver>> {
    for (const hosted of this.#hosted.values()) if (hosted.protocol === "dhara") yield hosted.supervisor;
  }

  async #allStarted(): Promise<void> {
    for (const { starting } of this.#dhara()) await starting;
  }

  *#polled(): Iterable<MxDriver> {
    for (const { protocol, supervisor } of this.#hosted.values()) {
      if (protocol === "mx" && supervisor.driver) yield supervisor.driver;
    }
  }
}

/** An answer clears the failures of its extension. Where there are none, as nearly always, nothing waits for it. */
function clearingFailures(supervisor: Supervisor<DharaDriver>, answer: Promise<ToolResult>): Promise<ToolResult> {
  if (supervisor.wasWell) return answer;
  return answer.then((result) => {
    supervisor.succeeded();
    return result;
  });
}

function hostClosed(what: string): ExtensionError {
  return new ExtensionError("closed", `the host is closed: ${what}`);
}
