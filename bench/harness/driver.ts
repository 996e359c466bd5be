/** The harness's end of a measured program: starts it, tells it what to do, reads what it and its child cost. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { pinned, quietEnvironment } from "./pinning.ts";
import { cpuUs } from "./process_cost.ts";
import type { Runtime } from "./runtimes.ts";

export interface DriverOptions {
  readonly runtime: Runtime;
  /** The bundle to run. */
  readonly program: string;
  /** What the program gets: usually the command of its child. */
  readonly setup?: unknown;
  readonly runtimeFlags?: readonly string[];
  /** Default true. */
  readonly pinned?: boolean;
}

/** A measured program that obeys `serveHarness` of `program.ts`. */
export class Driver {
  readonly #process: ChildProcess;
  readonly #replies: ((line: string | undefined) => void)[] = [];
  /** The process that the program started or talks to, when there is one. */
  childPid: number | undefined;

  private constructor(child: ChildProcess) {
    this.#process = child;
    if (child.stdout === null) throw new Error("the program has no stdout");
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => this.#replies.shift()?.(line));
    child.once("exit", () => {
      for (const reply of this.#replies.splice(0)) reply(undefined);
    });
  }

  static async start(options: DriverOptions): Promise<Driver> {
    const { runtime } = options;
    const command = [
      runtime.command,
      ...runtime.args,
      ...(options.runtimeFlags ?? []),
      options.program,
      JSON.stringify(options.setup ?? null),
    ];
    const [file, ...args] = options.pinned === false ? command : pinned(command);
    const child = spawn(file as string, args, { stdio: ["pipe", "pipe", "inherit"], env: quietEnvironment() });
    const driver = new Driver(child);
    const ready = (await driver.#reply()) as { childPid?: number };
    driver.childPid = ready.childPid;
    return driver;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Runs one command in the program. Rejects with what the program threw. */
  async run<T>(op: string, args: unknown = null): Promise<T> {
    this.#process.stdin?.write(`${JSON.stringify({ op, args })}\n`);
    return (await this.#reply()) as T;
  }

  /** CPU microseconds of the program and its child so far. */
  cpuUs(): number {
    return cpuUs(this.pid) + (this.childPid === undefined ? 0 : cpuUs(this.childPid));
  }

  async stop(): Promise<void> {
    const exited = new Promise<void>((resolve) => {
      if (this.#process.exitCode !== null) resolve();
      else this.#process.once("exit", () => resolve());
    });
    this.#process.stdin?.end(`${JSON.stringify({ op: "quit", args: null })}\n`);
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), 5_000);
    await exited;
    clearTimeout(timer);
  }

  async #reply(): Promise<unknown> {
    const line = await new Promise<string | undefined>((resolve) => this.#replies.push(resolve));
    if (line === undefined) throw new Error(`a measured program ended early: ${this.#process.spawnargs.join(" ")}`);
    const { value, error } = JSON.parse(line) as { value?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return value;
  }
}
