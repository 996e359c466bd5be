/** Child processes in Node, Deno and Bun: each leads a process group of its own, so that all of it can be ended. */
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Exit, ExtensionProcess, SpawnOptions } from "../host/platform.ts";
import type { Pipe } from "../rpc/pipe.ts";
import { NodePipe } from "./node_pipe.ts";
import { startFailure } from "./node_start_failure.ts";

/** Pipes that stay silent for two such rounds after the exit are closed: somebody else holds their other ends (D8). */
const ROUND_MS = 50;
const SILENT_ROUNDS = 2;
/** Whoever goes on writing to them after the exit is heard no longer than this. */
const MOST_ROUNDS = 8;

/** Of stderr, kept until somebody listens: its first lines say most. */
const EARLY_CHUNKS = 16;

const IS_WINDOWS = process.platform === "win32";
/** With which a process ends that taskkill ends. */
const TASKKILL_CODE = 1;

/** Starts a process. Rejects with an ExtensionError `start-failed` that says what was run and what to do. */
export function spawnProcess(options: SpawnOptions): Promise<ExtensionProcess> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => reject(startFailure(options, cause as NodeJS.ErrnoException));
    let child: ChildProcess;
    try {
      child = spawn(options.command, options.args, {
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        env: { ...options.env },
        stdio: ["pipe", "pipe", "pipe"],
        // On Windows this would open a window, and there are no process groups.
        detached: !IS_WINDOWS,
        windowsHide: true,
      });
    } catch (cause) {
      return fail(cause);
    }
    child.once("error", fail);
    child.once("spawn", () => {
      // It would keep the whole environment in memory as long as the process lives.
      child.off("error", fail);
      resolve(new NodeProcess(child));
    });
  });
}

class NodeProcess implements ExtensionProcess {
  readonly pid: number;
  readonly stdio: Pipe;
  readonly exited: Promise<Exit>;
  readonly drained: Promise<void>;
  readonly #child: ChildProcess;
  /** On Windows, the signal in whose place its tree was ended: its exit tells of none. */
  #endedBy: "SIGTERM" | "SIGKILL" | undefined;
  #onStderr: ((chunk: Uint8Array) => void) | undefined;
  /** What came before anybody listened. */
  #early: Uint8Array[] | undefined = [];

  constructor(child: ChildProcess) {
    const stdout = child.stdout as Readable;
    const stderr = child.stderr as Readable;
    this.#child = child;
    this.pid = child.pid as number;
    this.stdio = new NodePipe(stdout, child.stdin as Writable);
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        resolve(this.#endedBy && code === TASKKILL_CODE ? { code: null, signal: this.#endedBy } : { code, signal });
      });
    });
    this.drained = this.exited.then(async () => {
      await Promise.all([closeWhenSilent(stdout), closeWhenSilent(stderr)]);
    });
    // A kill that fails is told as an event of the child, too.
    child.on("error", () => {});
    stderr.on("error", () => {});
    stderr.on("data", (chunk: Uint8Array) => {
      if (this.#onStderr) this.#onStderr(chunk);
      else if (this.#early && this.#early.length < EARLY_CHUNKS) this.#early.push(chunk);
    });
  }

  onStderr(listener: (chunk: Uint8Array) => void): void {
    this.#onStderr = listener;
    for (const chunk of this.#early ?? []) listener(chunk);
    this.#early = undefined;
  }

  kill(signal: "SIGTERM" | "SIGKILL"): void {
    if (IS_WINDOWS) {
      const { exitCode, signalCode } = this.#child;
      // What it left is in no group, and its number may be another's already.
      if (exitCode !== null || signalCode !== null) return;
      this.#endedBy = signal;
      return killTree(this.#child, signal);
    }
    try {
      process.kill(-this.pid, signal);
    } catch {
      // The group is gone, or only its unreaped dead are left; or Deno may run some programs and signal none but its own child.
      this.#child.kill(signal);
    }
  }
}

/** It needs the process alive to find those below it. Whatever becomes of it, the process itself ends. */
function killTree(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const end = () => void child.kill(signal);
  spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore", windowsHide: true })
    .on("error", end)
    .on("exit", end);
}

/** Closes what a dead process left open, once everything that it wrote has been read. */
function closeWhenSilent(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.readableEnded) return resolve();
    let rounds = 0;
    let silent = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const round = () => {
      // A listener would start a stream that nobody has opened yet.
      if (stream.readableFlowing === true) silent++;
      if (silent > SILENT_ROUNDS || rounds++ === MOST_ROUNDS) return void stream.destroy();
      // The loop reads what has come in before it runs an immediate. Rounds are counted and no time is looked at, because
      // a busy program would take its own delay for silence.
      timer = setTimeout(() => setImmediate(round), ROUND_MS);
    };
    if (stream.readableFlowing === true) {
      stream.on("data", () => {
        silent = 0;
      });
    }
    const over = () => {
      clearTimeout(timer);
      resolve();
    };
    stream.once("end", over).once("close", over);
    round();
  });
}
