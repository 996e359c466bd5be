/** Terminal sessions: `$ command` lines with what they print, run in a shell and compared. */
import { spawn } from "node:child_process";
import type { Sandbox } from "./sandbox.ts";

export interface Exchange {
  readonly command: string;
  readonly shown: string;
}

/** A line of what is shown that stands for the key: it is pressed once all before it has been printed. */
const CTRL_C = "^C";
/** What a shell says of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;
/** Of the busiest machine; less than a test may take. */
const PATIENCE_MS = 600_000;

/** A command goes on over lines that end with a backslash. Its output goes on until the next `$ `. */
export function readSession(text: string): Exchange[] {
  const exchanges: { command: string; shown: string[] }[] = [];
  let goesOn = false;
  for (const line of text.split("\n")) {
    const last = exchanges.at(-1);
    if (goesOn && last) last.command += `\n${line}`;
    else if (line.startsWith("$ ")) exchanges.push({ command: line.slice(2), shown: [] });
    else if (last) last.shown.push(line);
    else throw new Error(`a session begins with "$ ", not with ${JSON.stringify(line)}`);
    goesOn = (goesOn || line.startsWith("$ ")) && line.endsWith("\\");
  }
  return exchanges.map(({ command, shown }) => ({ command, shown: shown.join("\n") }));
}

/**
 * Throws an Error that shows both when a command printed something else, or failed without the session saying so.
 * `inAnyOrder` is for programs side by side, whose lines come as they come.
 */
export async function runSession(text: string, sandbox: Sandbox, inAnyOrder = false): Promise<void> {
  const exchanges = readSession(text);
  let code = 0;
  for (const [i, { command, shown }] of exchanges.entries()) {
    const [before = "", after] = shown.split(new RegExp(`(?:^|\\n)\\${CTRL_C}(?:\\n|$)`));
    const compare = inAnyOrder ? missing : difference;
    const isTime = (output: string) => after !== undefined && isPrinted(before, output, compare);
    const ended = await run(command, code, after === undefined ? undefined : isTime, sandbox);
    const expected = after === undefined ? shown : [before, after].filter((part) => part !== "").join("\n");
    const fault = compare(expected, ended.output);
    if (fault !== undefined) throw new Error(`$ ${command}\n${fault}\nit printed:\n${ended.output}`);
    code = ended.code;
    // A failure is shown by asking for its code.
    const isShown = exchanges[i + 1]?.command.includes("$?") || (after !== undefined && code === INTERRUPTED);
    if (code !== 0 && !isShown) throw new Error(`$ ${command}\nexited with ${code}; it printed:\n${ended.output}`);
  }
}

/** Both outputs in the order they came. With `until`, the command is interrupted when that is so of its output. */
async function run(
  command: string,
  lastCode: number,
  until: ((output: string) => boolean) | undefined,
  { folder, env }: Sandbox,
): Promise<{ code: number; output: string }> {
  // One pipe for both outputs keeps their order; exec lets the signal reach the program itself.
  const script = until === undefined ? `(exit ${lastCode})\n{ ${command}\n} 2>&1` : `exec 2>&1\nexec ${command}`;
  const child = spawn("sh", ["-c", script], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  let interrupted = false;
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    output += text;
    if (!interrupted && until?.(output)) interrupted = child.kill("SIGINT");
  });
  // What never comes is told by the comparison, not by a session without an end.
  const patience = setTimeout(() => until !== undefined && child.kill("SIGINT"), PATIENCE_MS);
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  });
  clearTimeout(patience);
  return { code, output: output.replace(/\n$/, "") };
}

/** Whether whole lines of `printed` begin with `shown`. */
function isPrinted(shown: string, printed: string, compare: typeof difference): boolean {
  const whole = printed.slice(0, printed.lastIndexOf("\n"));
  return whole !== "" && compare(`${shown}\n…`, whole) === undefined;
}

/**
 * What of `shown` is not in `printed`, or undefined. In what is shown, `…` stands for anything within a line, and a line
 * of `…` alone for any lines. What differs from run to run, times and ports and process ids, is not compared.
 */
export function difference(shown: string, printed: string): string | undefined {
  const expected = shown === "" ? [] : shown.split("\n").map(settled);
  const actual = printed === "" ? [] : printed.split("\n").map(settled);
  let at = 0;
  for (let i = 0; i < expected.length; i++) {
    if (expected[i]!.trim() === "…") {
      const next = expected[i + 1];
      if (next === undefined) return undefined;
      while (at < actual.length && !fits(next, actual[at]!)) at++;
      continue;
    }
    const found = actual[at++];
    if (found === undefined) return `it ends before:\n  ${expected[i]}`;
    if (!fits(expected[i]!, found)) return `line ${at} should be\n  ${expected[i]}\nand is\n  ${found}`;
  }
  return at < actual.length ? `it goes on with:\n  ${actual[at]}` : undefined;
}

/** The same for lines in any order. */
function missing(shown: string, printed: string): string | undefined {
  const left = printed.split("\n").map(settled);
  const expected = shown.split("\n").map(settled);
  const isWhole = !expected.includes("…");
  for (const line of expected.filter((each) => each !== "…")) {
    const at = left.findIndex((each) => fits(line, each));
    if (at === -1) return `nowhere is:\n  ${line}`;
    left.splice(at, 1);
  }
  return isWhole && left.length > 0 ? `there is also:\n  ${left[0]}` : undefined;
}

function fits(expected: string, actual: string): boolean {
  if (!expected.includes("…")) return expected === actual;
  const pattern = expected.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${pattern.join(".*")}$`).test(actual);
}

function settled(line: string): string {
  return line
    .trimEnd()
    .replace(/\d\d:\d\d:\d\d(?:\.\d{3})?/g, "TIME")
    .replace(/\S*\/extwire-([a-z]+-)?\w{6}\//g, "/tmp/extwire-XXXXXX/")
    .replace(/\d+(\.\d+)? (ms|s)\b/g, "N s")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replace(/\bpid \d+/g, "pid N");
}
