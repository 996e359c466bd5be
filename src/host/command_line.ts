/** A command as one string, and as words: one documented set of rules, the same on every system (D29). */
import { shortened } from "../rpc/excerpt.ts";

/**
 * Thrown for a command string that can't be split into words.
 *
 * @example
 * ```ts
 * import { CommandLineError, tokenize } from "extwire";
 * try {
 *   tokenize("cat a | wc");
 * } catch (error) {
 *   console.log(error instanceof CommandLineError); // true
 * }
 * ```
 */
export class CommandLineError extends Error {
  override readonly name = "CommandLineError";
}

const SHELL_OPERATORS = new Set(["|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"]);

/**
 * Splits a command string into words, by these rules only:
 *
 * - Spaces, tabs and line ends separate words.
 * - Text in `'…'` is taken literally. So is text in `"…"`, where `\"` is a quote and `\\` a backslash.
 *   Quoted and unquoted parts that touch form one word; `""` is an empty word.
 * - Outside quotes a backslash is an ordinary character, so `C:\tools\run.exe` needs no quotes.
 * - No shell is involved: `$HOME` and `*` are ordinary text, and a word that is a shell operator (`|`, `&&`, `>`, …) is an
 *   error, because it would not do what it says.
 *
 * @throws CommandLineError
 * @example
 * ```ts
 * import { tokenize } from "extwire";
 * console.log(tokenize(`"/opt/My Ext/run" --name 'a b' ""`)); // [ "/opt/My Ext/run", "--name", "a b", "" ]
 * ```
 */
export function tokenize(command: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < command.length) {
    if (isSpace(command[at])) {
      at++;
      continue;
    }
    const start = at;
    let word = "";
    for (let c = command[at]; c !== undefined && !isSpace(c); c = command[at]) {
      if (c === "'" || c === '"') {
        const part = quoted(command, at, c);
        word += part.text;
        at = part.end;
      } else {
        word += c;
        at++;
      }
    }
    if (SHELL_OPERATORS.has(command.slice(start, at))) {
      throw new CommandLineError(
        `${word} in ${command} is a shell operator, but no shell is used; run sh -c "…", or quote it to pass it literally`,
      );
    }
    words.push(word);
  }
  return words;
}

function quoted(command: string, start: number, quote: string): { text: string; end: number } {
  let text = "";
  for (let at = start + 1; at < command.length; at++) {
    const c = command[at] as string;
    if (c === quote) return { text, end: at + 1 };
    const next = command[at + 1];
    if (quote === '"' && c === "\\" && (next === '"' || next === "\\")) {
      text += next;
      at++;
    } else text += c;
  }
  const hint = command.endsWith('\\"') ? ' (in double quotes \\" is a quote: write \\\\" to end on a backslash)' : "";
  throw new CommandLineError(`${quote} at column ${start + 1} of ${command} is never closed${hint}`);
}

/**
 * Joins words into one string that `tokenize` splits into the same words again.
 *
 * @example
 * ```ts
 * import { quoteCommand } from "extwire";
 * console.log(quoteCommand("python3", ["main.py", "a b"])); // python3 main.py "a b"
 * ```
 */
export function quoteCommand(command: string, args: readonly string[] = []): string {
  return [command, ...args].map(quoteWord).join(" ");
}

/** The same for a message: a command may be as long as the system lets it. */
export function shownCommand(command: string, args?: readonly string[]): string {
  return shortened(quoteCommand(command, args), SHOWN_CHARACTERS);
}

const SHOWN_CHARACTERS = 500;

function quoteWord(word: string): string {
  if (word !== "" && !/[\s'"]/.test(word) && !SHELL_OPERATORS.has(word)) return word;
  return `"${word.replace(/[\\"]/g, "\\$&")}"`;
}

function isSpace(c: string | undefined): boolean {
  return c === " " || c === "\t" || c === "\n" || c === "\r";
}
