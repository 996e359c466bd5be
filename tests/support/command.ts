/** Programs as a person runs them: from a shell's pipe or in a terminal, with what they print and how they end. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import type { Program } from "./runtime.ts";

export interface CommandOptions {
  readonly cwd?: string;
  /** Beside the test's own variables; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Why there are no terminals to test in, or false. */
export const NO_TERMINAL: string | false =
  process.platform === "win32" || spawnSync("python3", ["-c", "import pty"]).status !== 0
    ? "terminals are made with python3's pty module, which is not here"
    : false;

/** Why it can't be seen here whether a process was left over, or false. */
export const NO_PROC: string | false =
  process.platform === "linux" ? false : "left-over processes are looked for in /proc";

export class Command {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  #over = false;
  #wakeups: (() => void)[] = [];

  constructor({ command, args }: Program, { cwd, env, input }: CommandOptions = {}) {
    const variables: Record<string, string | undefined> = {
      ...process.env,
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      ...env,
    };
    for (const [name, value] of Object.entries(variables)) if (value === undefined) delete variables[name];
    this.child = spawn(command, args, { ...(cwd === undefined ? {} : { cwd }), env: variables, stdio: "pipe" });
    this.child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.#wake();
    });
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#wake();
    });
    this.ended = new Promise((resolve, reject) => {
      this.child.once("error", (error) => {
        this.#over = true;
        this.#wake();
        reject(error);
      });
      this.child.once("close", (code, signal) => {
        this.#over = true;
        this.#wake();
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
    this.child.stdin!.on("error", () => {});
    if (input !== undefined) this.child.stdin!.end(input);
  }

  /** Waits until stdout, or stderr, shows `pattern`; throws with all that was printed when the program ends without it. */
  async shows(pattern: RegExp, stream: "stdout" | "stderr" = "stdout"): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this[stream]);
      if (found) return found;
      if (this.#over) throw new Error(`never showed ${pattern}\nstdout:\n${this.stdout}\nstderr:\n${this.stderr}`);
      await new Promise<void>((resolve) => this.#wakeups.push(resolve));
    }
  }

  write(text: string): void {
    this.child.stdin!.write(text);
  }

  kill(signal: NodeJS.Signals): void {
    // Not child.kill: after it Deno reports that signal, however the process ended.
    const { exitCode, signalCode } = this.child;
    if (exitCode === null && signalCode === null) process.kill(this.child.pid!, signal);
  }

  #wake(): void {
    for (const wake of this.#wakeups.splice(0)) wake();
  }
}

/** Runs a program to its end, with stdout and stderr as pipes. */
export function runCommand(program: Program, options: CommandOptions = {}): Promise<Ended> {
  return new Command(program, { input: "", ...options }).ended;
}

/** The program in a terminal of its own: both streams arrive on `stdout`, what is written is typed. */
export function inTerminal(
  { command, args }: Program,
  options: CommandOptions & { columns?: number; rows?: number } = {},
): Command {
  const { columns = 100, rows = 40 } = options;
  const env = { TERM: "xterm-256color", COLORTERM: "truecolor", ...NO_MULTIPLEXER, ...options.env };
  const program = { command: "python3", args: ["-c", PTY, String(columns), String(rows), command, ...args] };
  return new Command(program, { ...options, env });
}

const NO_MULTIPLEXER = {
  TMUX: undefined,
  STY: undefined,
  ZELLIJ: undefined,
  TERM_PROGRAM: undefined,
  LC_TERMINAL: undefined,
};

/** Ends as the program did; "signal N" on stderr when a signal ended it. */
const PTY = `
import fcntl, os, pty, select, struct, sys, termios
columns, rows = int(sys.argv[1]), int(sys.argv[2])
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
sources = [fd, 0]
while fd in sources:
    for source in select.select(sources, [], [])[0]:
        try:
            data = os.read(source, 65536)
        except OSError:
            data = b""
        if not data:
            sources.remove(source)
        elif source == 0:
            os.write(fd, data)
        else:
            while data:
                data = data[os.write(1, data):]
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if status < 0:
    print("signal", -status, file=sys.stderr)
sys.exit(status if status >= 0 else 255)
`;

/** The processes that work in \`folder\`, which nobody but the program under test was started in. */
export function processesIn(folder: string): number[] {
  const wanted = realpathSync(folder);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === wanted;
      } catch {
        return false;
      }
    })
    .map(Number);
}
