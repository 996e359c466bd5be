/** The Python examples, started raw: no code of ours between the test and the process. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Exit } from "../../src/host/platform.ts";
import { ROOT } from "../../tools/bundle.ts";

/** EXTWIRE_PYTHON names another interpreter than the one on PATH. */
export const PYTHON: string = process.env["EXTWIRE_PYTHON"] ?? "python3";

/** Why the tests of the examples cannot run here, or false. They need Python 3.9. */
export const NO_PYTHON: string | false = hasPython() ? false : `${PYTHON} 3.9 or later is not installed`;

export interface PythonProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Exit>;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
}

export function example(name: string): string {
  return join(ROOT, "examples/python", name);
}

/** What a host would hand down, and no more. */
export const HANDED_DOWN: Readonly<Record<string, string>> = {
  PATH: process.env["PATH"] ?? "",
  HOME: process.env["HOME"] ?? "",
  LANG: "C",
};

/** Runs `path` with what is handed down, and `env`. */
export function startPython(
  path: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): PythonProcess {
  const child = spawn(PYTHON, ["-B", path, ...args], {
    stdio: "pipe",
    env: { ...HANDED_DOWN, ...env },
  });
  let stdout = "";
  let stderr = "";
  const decoder = new TextDecoder();
  child.stdout.on("data", (chunk: Uint8Array) => {
    stdout += decoder.decode(chunk, { stream: true });
  });
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Exit>((resolve) => {
    // Not "exit": by then not all that it wrote has arrived.
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

function hasPython(): boolean {
  return spawnSync(PYTHON, ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
}
