/** One process of an extension, from its start to its end. It is used once; the supervisor makes the next one. */
import type { Codec } from "../../codec/codec.ts";
import type { ToolInfo } from "../dhara/types.ts";
import { withoutSecret } from "../mx/token.ts";
import type { ExtensionStatus } from "../mx/types.ts";
import type { Diagnostic } from "../rpc/channel.ts";
import { type Deferred, deferred } from "../rpc/deferred.ts";
import { ExtensionError } from "../rpc/errors.ts";
import type { Limits } from "../rpc/limits.ts";
import { type Trace, withText } from "../rpc/trace.ts";
import { within } from "../rpc/within.ts";
import type { Driver, DriverHooks } from "./driver.ts";
import { endProcess } from "./end_process.ts";
import { environmentFor } from "./environment.ts";
import { type ExtensionEvent, OWN_DIAGNOSTICS } from "./events.ts";
import { type Circumstances, endedError, SHOWN_LINES, SHOWN_STRAY, startError, stoppedError } from "./failure.ts";
import { LineLog, type LineOwner } from "./line_log.ts";
import type { ExtensionManifest } from "./manifest.ts";
import type { Exit, ExtensionProcess, Platform } from "./platform.ts";

/** Why a run is over: the host wanted it to end, or something failed. */
export type EndKind = "asked" | "failed";

export interface RunEnd {
  readonly kind: EndKind;
  readonly reason: ExtensionError;
  /** Undefined when no process was started. */
  readonly exit: Exit | undefined;
}

interface Ending {
  readonly kind: EndKind;
  /** Made anew when it is asked for. */
  readonly reason: () => ExtensionError;
}

/** What a run tells its supervisor. */
export interface RunListener {
  listed(tools: readonly ToolInfo[]): void;
  reported(status: ExtensionStatus): void;
  degraded(message: string): void;
  told(event: ExtensionEvent): void;
  threw(error: unknown): void;
  /** The last call. */
  ended(end: RunEnd): void;
}

/** The same for all runs of a protocol. */
export interface RunOptions<D extends Driver> {
  readonly platform: Platform;
  readonly limits: Limits;
  /** Whether messages are told. */
  readonly trace: boolean;
  readonly drive: (hooks: DriverHooks) => D;
}

/** A process whose connection ended is about to end too; one that is not, after this long, is ended. */
const LINGER_MS = 1_000;
/** What came in before the end is still taken in. */
const DRAIN_MS = 200;
/** How lines begin that tell of this side, or of whoever was turned away from its port, which the error of a start tells. */
const NOT_ITS = [...OWN_DIAGNOSTICS, "refused"].map((code) => `${code}: `);
/** From `shutdown` to the kill (D-13, M-19). */
const GRACE_MS = { dhara: 5_000, mx: 2_000 } as const;

/** It is what its driver and its logs report to itself: a host may have hundreds, and each closure counts. */
export class Run<D extends Driver = Driver> implements DriverHooks, LineOwner {
  readonly manifest: ExtensionManifest;
  readonly cwd: string;
  readonly codec: Codec;
  readonly driver: D;
  readonly stderr = new LineLog(this);
  readonly #options: RunOptions<D>;
  readonly #listener: RunListener;
  readonly #stdout = new LineLog(this);
  readonly #diagnostics = new LineLog(this);
  #secret = "";
  #process: ExtensionProcess | undefined;
  #exit: Exit | undefined;
  /** What the other side did against the protocol, which explains more than how its process ended. */
  #fault: Error | undefined;
  #ready = false;
  #over = false;
  /** Set once it is decided that this is over. The reason grows with what becomes known. */
  #end: Ending | undefined;
  #ending: Promise<ExtensionError> | undefined;
  /** The part of the start that can't be stopped half-way. */
  #spawning: Promise<void> | undefined;
  /** Ends the start that is under way. */
  #interrupt: ((reason: ExtensionError) => void) | undefined;
  /** Settles when the end of the process has been told: calls in flight hear of it after that. Made for the first who waits. */
  #told: Deferred<void> | undefined;

  /** `cwd`: the host's, and that of a process whose manifest names none. */
  constructor(manifest: ExtensionManifest, cwd: string, options: RunOptions<D>, listener: RunListener) {
    this.manifest = manifest;
    this.cwd = cwd;
    this.#options = options;
    this.#listener = listener;
    this.codec = options.platform.codec((message) => this.diagnostic({ code: "plain-codec", message }));
    this.driver = options.drive(this);
  }

  get limits(): Limits {
    return this.#options.limits;
  }

  get trace(): Trace | undefined {
    if (!this.#options.trace) return undefined;
    return (message) => this.#listener.told({ type: "message", ...withText(message, (text) => this.redact(text)) });
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Ready, and able to take a question. */
  get usable(): boolean {
    return this.#ready && this.#end === undefined && this.#exit === undefined && this.driver.usable;
  }

  /** Its process is gone, or never was. */
  get over(): boolean {
    return this.#over;
  }

  get diagnostics(): readonly string[] {
    return this.#diagnostics.lines();
  }

  /** Resolves when the extension is ready. Rejects when it is not and its process is gone. */
  async start(): Promise<void> {
    const interrupted = new Promise<never>((_, reject) => {
      this.#interrupt = reject;
    });
    try {
      await Promise.race([this.#begin(), interrupted]);
      this.#ready = true;
    } catch (error) {
      throw await this.stop("failed", () => startError(error, this.#circumstances()));
    } finally {
      this.#interrupt = undefined;
    }
  }

  /** Ends the process, politely first, and resolves with the reason when all of it is gone. Idempotent: the first reason stands. */
  stop(kind: EndKind, reason: () => ExtensionError): Promise<ExtensionError> {
    this.#end ??= { kind, reason };
    this.#ending ??= this.#conclude();
    return this.#ending;
  }

  async #begin(): Promise<void> {
    this.#spawning = this.#spawn();
    await this.#spawning;
    if (this.#end || this.#process === undefined) return;
    await this.driver.handshake(this.#process);
  }

  async #spawn(): Promise<void> {
    const { manifest, cwd } = this;
    const { platform } = this.#options;
    const protocol = await this.driver.prepare();
    if (this.#end) return;
    const env = environmentFor({
      host: platform.environment(),
      pass: manifest.passEnv,
      manifest: manifest.env,
      protocol,
    });
    const { command, args = [] } = manifest;
    const process = await platform.spawn({ command, args, cwd: manifest.cwd ?? cwd, env });
    this.#process = process;
    process.onStderr((chunk) => this.stderr.push(chunk));
    void process.exited.then((exit) => this.#exited(process, exit));
  }

  async #exited(process: ExtensionProcess, exit: Exit): Promise<void> {
    this.#exit = exit;
    // Whatever it started and left behind in its group.
    process.kill("SIGKILL");
    await process.drained;
    void this.stop("failed", () => endedError(this.#ready, this.#fault, this.#circumstances()));
  }

  /** A connection ended: how, is known only when the process has ended too and its last words are in. */
  async explain(cause: Error | undefined): Promise<ExtensionError> {
    if (isFault(cause)) this.#fault ??= cause;
    if (this.#end === undefined && this.#process) await within((this.#told ??= deferred()).promise, LINGER_MS);
    return this.#end?.reason() ?? endedError(this.#ready, cause, this.#circumstances());
  }

  /** For one that was ready and can't be used: resolves when it can again, or is over. One that does neither by itself has failed. */
  async settled(): Promise<void> {
    const reason = await this.explain(this.#fault);
    if (!this.usable) await this.stop("failed", () => reason);
  }

  lost(reason: ExtensionError): void {
    if (this.#exit === undefined) void this.stop("failed", () => reason);
  }

  timedOut(): Promise<ExtensionError> {
    return this.stop("asked", () => stoppedError("because a call got no answer in time", this.#circumstances()));
  }

  async #conclude(): Promise<ExtensionError> {
    const end = this.#end as Ending;
    await this.#spawning?.catch(() => {});
    const process = this.#process;
    if (process) {
      if (this.#exit === undefined) await endProcess(process, this.driver, this.graceMs);
      // It ends by itself; without an exit there would be nothing to wait for.
      if (this.#exit) await process.drained;
      // A last line may lack its end.
      if (this.#exit) this.#endLogs();
    }
    const reason = end.reason();
    this.#interrupt?.(reason);
    this.#over = true;
    this.#listener.ended({ kind: end.kind, reason, exit: this.#exit });
    this.#told?.resolve();
    if (this.driver.drained) await within(this.driver.drained, DRAIN_MS);
    await within(this.driver.close(reason), DRAIN_MS);
    process?.stdio.destroy();
    return reason;
  }

  get graceMs(): number {
    const { shutdownTimeoutMs, protocol } = this.manifest;
    return shutdownTimeoutMs ?? GRACE_MS[protocol];
  }

  #circumstances(): Circumstances {
    const { manifest } = this;
    if (this.#exit) this.#endLogs();
    const isChatter = manifest.protocol === "mx" && !this.#ready;
    return {
      manifest,
      exit: this.#exit,
      stderr: this.stderr.lines(SHOWN_LINES),
      stdout: isChatter ? this.#stdout.lines(SHOWN_STRAY) : [],
      useless: this.diagnostics.filter((line) => !NOT_ITS.some((head) => line.startsWith(head))),
      refusal: this.driver.refusal,
    };
  }

  #endLogs(): void {
    this.stderr.end();
    this.#stdout.end();
  }

  tools(tools: readonly ToolInfo[]): void {
    this.#listener.listed(tools);
  }

  /** What comes in late says nothing about an extension that is being stopped. */
  status(status: ExtensionStatus): void {
    if (this.#end === undefined) this.#listener.reported(status);
  }

  degraded(message: string): void {
    if (this.#end === undefined) this.#listener.degraded(message);
  }

  diagnostic({ code, message }: Diagnostic): void {
    this.#diagnostics.add(`${code}: ${message}`);
    this.#listener.told({ type: "diagnostic", code, message });
  }

  stdout(chunk: Uint8Array): void {
    this.#stdout.push(chunk);
  }

  secret(text: string): void {
    this.#secret = text;
  }

  error(error: unknown): void {
    this.#listener.threw(error);
  }

  redact(line: string): string {
    return withoutSecret(line, this.#secret);
  }

  kept(line: string, log: LineLog): void {
    if (log !== this.#diagnostics) this.#listener.told({ type: log === this.stderr ? "stderr" : "stdout", line });
  }
}

function isFault(cause: Error | undefined): boolean {
  return cause instanceof ExtensionError && (cause.code === "limit" || cause.code === "protocol");
}
