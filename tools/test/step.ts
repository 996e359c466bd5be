/** One step of `npm test`: what it is called, and how it went. */
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../bundle.ts";

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What went wrong, for a person to read. */
  readonly report: string;
}

export interface Step {
  readonly name: string;
  readonly what: string;
  /** The step right before this one, at the same time as which it runs: neither keeps more than one core busy. */
  readonly beside?: string;
  run(): Promise<Outcome>;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** In milliseconds; past it the whole process group is killed. */
  readonly timeoutMs?: number;
}

export interface Ended {
  readonly code: number;
  /** Both outputs as they came. */
  readonly output: string;
}

export const LOG_FOLDER: string = join(ROOT, "tests/.build/logs");

const LONGEST_RUN_MS = 60 * 60_000;
const running = new Set<number>();

/** Runs one command of ours to its end, with its output in a file, which a run that dies half-way leaves behind. */
export async function run(name: string, { command, args, env, timeoutMs = LONGEST_RUN_MS }: Command): Promise<Ended> {
  mkdirSync(LOG_FOLDER, { recursive: true });
  const path = join(LOG_FOLDER, `${name}.log`);
  const log = createWriteStream(path);
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  if (child.pid !== undefined) running.add(child.pid);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killGroup(child.pid);
  }, timeoutMs);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const code = await new Promise<number>((resolve) => {
    child.once("error", (error) => {
      log.write(`${command}: ${error.message}\n`);
      resolve(127);
    });
    child.once("exit", (status, signal) => resolve(status ?? (signal === null ? 1 : 128)));
  });
  clearTimeout(timer);
  // What it left behind is a fault that must not hold up the next step; a grandchild in a group of its own may keep
  // the pipes open.
  killGroup(child.pid);
  if (child.pid !== undefined) {
    running.delete(child.pid);
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 2_000).unref())]);
  }
  await new Promise((resolve) => log.end(resolve));
  const output = readFileSync(path, "utf8");
  return late
    ? { code: 124, output: `${output}\nkilled: still running after ${timeoutMs / 1000} s\n` }
    : { code, output };
}

/** Ends all that is still running, for a person who pressed Ctrl-C. */
export function killRunning(): void {
  for (const pid of running) killGroup(pid);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Gone already: that is the aim.
  }
}

/** A check that is one command and passes when it exits with 0. */
export function check(name: string, what: string, ...commands: readonly Command[]): Step {
  return {
    name,
    what,
    async run() {
      const reports: string[] = [];
      for (const command of commands) {
        const { code, output } = await run(name, command);
        if (code !== 0) reports.push(`${command.args.join(" ")} exited with ${code}\n${tail(output, 120)}`);
      }
      return {
        passed: commands.length - reports.length,
        failed: reports.length,
        skipped: 0,
        report: reports.join("\n"),
      };
    },
  };
}

export function tail(text: string, lines: number): string {
  const all = text.trimEnd().split("\n");
  return all.length <= lines ? all.join("\n") : `… ${all.length - lines} lines before\n${all.slice(-lines).join("\n")}`;
}
