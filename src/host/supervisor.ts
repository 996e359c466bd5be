/** One extension as long as the host knows it: started, used, started again after a failure, stopped. */
import type { ToolInfo } from "../dhara/types.ts";
import type { ExtensionStatus } from "../mx/types.ts";
import { defined } from "../rpc/defined.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { waitFor } from "../rpc/wait.ts";
import { Backoff, MOST_FAILURES } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import type { Driver } from "./driver.ts";
import type { ExtensionEvent, HostEvent, RunState } from "./events.ts";
import { howItEnded } from "./exits.ts";
import { SHOWN_LINES } from "./failure.ts";
import type { ExtensionManifest } from "./manifest.ts";
import type { Exit } from "./platform.ts";
import { Run, type RunEnd, type RunListener, type RunOptions } from "./run.ts";

const GIVEN_UP = `failed ${MOST_FAILURES} times in a row and is not restarted automatically any more`;

/** The same for all extensions of a protocol. */
export interface SupervisorOptions<D extends Driver> extends RunOptions<D> {
  readonly clock: Clock;
  emit(event: HostEvent): void;
  error(error: unknown): void;
}

export class Supervisor<D extends Driver = Driver> implements RunListener {
  readonly manifest: ExtensionManifest;
  readonly #cwd: string;
  readonly #options: SupervisorOptions<D>;
  readonly #backoff = new Backoff();
  #state: RunState = "stopped";
  #message: string | undefined;
  /** The last one, also when it is over: what it said is still of interest. */
  #run: Run<D> | undefined;
  #tools: readonly ToolInfo[] = [];
  #lastExit: Exit | undefined;
  #lastReason: ExtensionError | undefined;
  #status: ExtensionStatus | undefined;
  #restarts = 0;
  #readySince = 0;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;
  /** How often somebody asked it to stop. */
  #stops = 0;
  /** Somebody asked it to stop, and nobody has asked it to start since. */
  #halted = true;
  /** Cuts the wait between two starts short. */
  #wake: AbortController | undefined;

  /** `cwd` is the host's working folder. */
  constructor(manifest: ExtensionManifest, cwd: string, options: SupervisorOptions<D>) {
    this.manifest = manifest;
    this.#cwd = cwd;
    this.#options = options;
  }

  get state(): RunState {
    return this.#state;
  }

  get message(): string | undefined {
    return this.#message;
  }

  get run(): Run<D> | undefined {
    return this.#run;
  }

  get restarts(): number {
    return this.#restarts;
  }

  get lastExit(): Exit | undefined {
    return this.#lastExit;
  }

  /** Of the last run; none when it was stopped, for then no use starts it again. */
  get tools(): readonly ToolInfo[] {
    return this.#halted && !this.#renewing ? [] : this.#tools;
  }

  /** Nothing of it runs, starts or ends. */
  get idle(): boolean {
    return !this.#starting && !this.#stopping && !this.#renewing && (this.#run === undefined || this.#run.over);
  }

  /** Its pid while the process runs. */
  get pid(): number | undefined {
    return this.#run?.over ? undefined : this.#run?.pid;
  }

  /** Whether no failure counts against it. */
  get wasWell(): boolean {
    return this.#backoff.failures === 0;
  }

  /** What can be asked now. Undefined: `use` may make it so. */
  get driver(): D | undefined {
    return this.#run?.usable ? this.#run.driver : undefined;
  }

  /** Settles, never rejecting, when the start that is under way has come to its end. */
  get starting(): Promise<void> | undefined {
    return (this.#renewing ?? this.#starting)?.catch(() => {});
  }

  /** Starts it, whatever happened before. Resolves when it is ready; `signal` rejects at once and ends it. */
  async start(signal?: AbortSignal): Promise<void> {
    this.#halted = false;
    this.#backoff.succeeded();
    const started = this.#launch(false);
    try {
      await waitFor(started, { signal });
    } catch (error) {
      if (signal?.aborted) void this.stop();
      throw error;
    }
  }

  /** What can be asked, started first where it has to be. Rejects with why it cannot be. */
  async use(): Promise<D> {
    const driver = this.driver;
    if (driver) return driver;
    if (this.#renewing) return this.#renewing.then(() => this.use());
    const { id, restart } = this.manifest;
    if (this.#halted) throw this.#error("closed", `extension '${id}' was stopped; start it to use it again`);
    if (this.#starting === undefined) {
      if (this.#run && !this.#run.over) {
        await this.#run.settled();
        return this.use();
      }
      if (this.#backoff.exhausted) {
        const why = `extension '${id}' ${GIVEN_UP}; call start to try again: ${this.#lastReason?.message ?? ""}`;
        throw this.#error("failed", why, this.#lastReason);
      }
      if (restart === false && this.#lastReason) throw this.#lastReason;
    }
    await this.#launch(true);
    return this.driver ?? this.use();
  }

  /** Resolves when its process is gone, within its grace time and a second. Idempotent. */
  stop(): Promise<void> {
    this.#stops++;
    return this.#halt();
  }

  /** Stops it and starts it anew. Rejects as `start` does, and with `closed` when it was told to stop meanwhile. */
  restart(): Promise<void> {
    const renewing = this.#renew(this.#stops).finally(() => {
      if (this.#renewing === renewing) this.#renewing = undefined;
    });
    this.#renewing = renewing;
    return renewing;
  }

  async #renew(stops: number): Promise<void> {
    // Who hears that it stops finds that it is about to start.
    await Promise.resolve();
    await this.#halt();
    if (this.#stops !== stops) this.#throwIfHalted();
    await this.start();
  }

  #halt(): Promise<void> {
    this.#halted = true;
    this.#stopping ??= this.#stop().finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  /** It answered: earlier failures count no more. */
  succeeded(): void {
    this.#backoff.succeeded();
  }

  async #stop(): Promise<void> {
    const wasIdle = this.#starting === undefined && (this.#run === undefined || this.#run.over);
    if (!wasIdle) this.#setState("stopping");
    this.#wake?.abort();
    await this.#run?.stop("asked", () => this.#error("closed", `extension '${this.manifest.id}' was stopped`));
    await this.#starting?.catch(() => {});
    this.#setState("stopped", wasIdle ? this.#message : this.#lastExit && howItEnded(this.#lastExit));
  }

  #launch(again: boolean): Promise<void> {
    this.#starting ??= this.#begin(again).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #begin(again: boolean): Promise<void> {
    // A run that is over may still be ending its process.
    await this.#run?.stop("asked", () => this.#error("closed", "started again"));
    if (again) await this.#pause();
    this.#throwIfHalted();
    if (again) this.#restarts++;
    this.#status = undefined;
    this.#setState("starting");
    // Who hears of it may have stopped it.
    this.#throwIfHalted();
    const run = new Run<D>(this.manifest, this.#cwd, this.#options, this);
    this.#run = run;
    await run.start();
    this.#readySince = this.#options.clock.now();
    if (this.#state === "starting") this.#setState("ready");
  }

  async #pause(): Promise<void> {
    const { clock } = this.#options;
    const ms = this.#backoff.delay(clock.now());
    if (ms === 0) return;
    // Who hears of the wait may stop it.
    this.#wake = new AbortController();
    this.#setState(
      "starting",
      `waits ${(ms / 1000).toFixed(1)} s after failure ${this.#backoff.failures}: ${this.#lastReason?.message ?? ""}`,
    );
    await clock.sleep(ms, this.#wake.signal);
  }

  #throwIfHalted(): void {
    if (this.#halted) throw this.#error("closed", `extension '${this.manifest.id}' was stopped before it had started`);
  }

  listed(tools: readonly ToolInfo[]): void {
    this.#tools = tools;
    this.told({ type: "tools", tools });
  }

  degraded(message: string): void {
    this.#setState("degraded", message);
  }

  told(event: ExtensionEvent): void {
    this.#options.emit({ extension: this.manifest.id, ...event });
  }

  threw(error: unknown): void {
    this.#options.error(error);
  }

  ended({ kind, reason, exit }: RunEnd): void {
    const { clock } = this.#options;
    this.#lastExit = exit;
    this.#lastReason = reason;
    if (exit) this.told({ type: "exit", code: exit.code, signal: exit.signal, expected: kind !== "failed" });
    if (kind === "failed") {
      const readyMs = this.#readySince === 0 ? 0 : clock.now() - this.#readySince;
      this.#backoff.failed(clock.now(), readyMs);
    }
    this.#readySince = 0;
    if (this.#halted) return this.#setState("stopped", this.#lastExit && howItEnded(this.#lastExit));
    if (kind === "failed" && this.#backoff.exhausted) this.#setState("failed", `${GIVEN_UP}: ${reason.message}`);
    else this.#setState("stopped", reason.message);
    if (this.manifest.restart === "always") this.#useAgain();
  }

  /** For those that no use of the host's starts again. */
  #useAgain(): void {
    // What comes of it is told as states.
    void Promise.resolve(this.starting).then(() => this.use().catch(() => {}));
  }

  reported(status: ExtensionStatus): void {
    const before = this.#status;
    this.#status = status;
    this.#setState(status.state, status.message);
    if (before && JSON.stringify(before) === JSON.stringify(status)) return;
    this.told({ type: "status", status });
  }

  #setState(state: RunState, message?: string): void {
    if (state === this.#state && message === this.#message) return;
    this.#state = state;
    this.#message = message;
    this.told({ type: "state", state, ...defined({ message }) });
  }

  #error(code: "closed" | "failed", message: string, cause?: unknown): ExtensionError {
    const from = cause instanceof ExtensionError ? cause : undefined;
    return new ExtensionError(code, message, {
      cause,
      extension: this.manifest.id,
      stderr: from?.stderr ?? this.#run?.stderr.lines(SHOWN_LINES).join("\n") ?? "",
      exitCode: from?.exitCode,
      signal: from?.signal,
    });
  }
}
