/** TOML as a value with positions. */
import { parse, TomlError } from "smol-toml";
import type { Path } from "./manifest.ts";
import { MAX_DEPTH, type ParsedFile, type Position, SyntaxFault } from "./parsed_file.ts";

export function parseToml(text: string): ParsedFile {
  try {
    const value = parse(text, { maxDepth: MAX_DEPTH });
    return { value, find: (path) => locate(text, path) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    throw new SyntaxFault(`is not TOML: ${first}`, { line: error.line, column: error.column });
  }
}

/**
 * The parser keeps no positions, so the text is looked through for the field: the last step of `path` that stands as a
 * key in the right table wins, else the header of the table. Fields inside inline tables are found as their table.
 */
function locate(text: string, path: Path): Position | undefined {
  const wanted = path.map(String);
  const counts = new Map<string, number>();
  let table: string[] = [];
  let best: { position: Position; length: number } | undefined;
  const offer = (steps: readonly string[], position: Position) => {
    const fits = steps.every((step, i) => step === wanted[i]);
    if (fits && steps.length > (best?.length ?? 0)) best = { position, length: steps.length };
  };
  text.split("\n").forEach((line, i) => {
    const header = /^(\s*)(\[\[?)([^\]]+)\]/.exec(line);
    const column = (header?.[1] ?? /^\s*/.exec(line)?.[0] ?? "").length + 1;
    if (header) {
      // What is deeper than the path can't be on it.
      table = keys(header[3] as string).slice(0, wanted.length + 1);
      if (header[2] === "[[") {
        const name = table.join("\0");
        counts.set(name, (counts.get(name) ?? -1) + 1);
      }
      table = indexed(table, counts);
      offer(table, { line: i + 1, column });
      return;
    }
    const key = /^((?:[\w.\s-]|"[^"]*"|'[^']*')+)=/.exec(line.trimStart());
    if (key) offer([...table, ...keys(key[1] as string)], { line: i + 1, column });
  });
  return best?.position ?? { line: 1, column: 1 };
}

function keys(dotted: string): string[] {
  return [...dotted.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

/** Puts the position of the latest entry behind each array of tables. */
function indexed(table: readonly string[], counts: ReadonlyMap<string, number>): string[] {
  const steps: string[] = [];
  table.forEach((step, i) => {
    steps.push(step);
    const count = counts.get(table.slice(0, i + 1).join("\0"));
    if (count !== undefined) steps.push(String(count));
  });
  return steps;
}
