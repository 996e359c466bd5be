/** Terminal sessions: `$ command` lines with what they print, run in one shell and compared. */
import { execute } from "./programs.ts";
import type { Sandbox } from "./sandbox.ts";

export interface Exchange {
  readonly command: string;
  readonly shown: string;
}

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

/** Throws an Error that shows both when a command printed something else, or failed without the session saying so. */
export async function runSession(text: string, { folder, env }: Sandbox): Promise<void> {
  const exchanges = readSession(text);
  const mark = `--- ${Math.random()} ---`;
  const script = exchanges
    .map(({ command }) => `{ ${command}\n} 2>&1; s=$?; printf '\\n%s %s\\n' '${mark}' "$s"; (exit "$s")`)
    .join("\n");
  const { output } = await execute("sh", ["-c", script], { cwd: folder, env });
  const parts = output.split(new RegExp(`\\n${mark} (\\d+)\\n`));
  for (const [i, { command, shown }] of exchanges.entries()) {
    const printed = (parts[i * 2] ?? "").replace(/\n$/, "");
    const fault = difference(shown, printed);
    if (fault !== undefined) throw new Error(`$ ${command}\n${fault}\nit printed:\n${printed}`);
    const code = Number(parts[i * 2 + 1] ?? "1");
    // A failure is shown by asking for its code.
    const asked = exchanges[i + 1]?.command.includes("$?") === true;
    if (code !== 0 && !asked) throw new Error(`$ ${command}\nexited with ${code}; it printed:\n${printed}`);
  }
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

function fits(expected: string, actual: string): boolean {
  if (!expected.includes("…")) return expected === actual;
  const pattern = expected.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${pattern.join(".*")}$`).test(actual);
}

function settled(line: string): string {
  return line
    .trimEnd()
    .replace(/\d+(\.\d+)? (ms|s)\b/g, "N s")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replace(/\bpid \d+/g, "pid N");
}
