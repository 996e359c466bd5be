/** What the parsers of the three formats have in common. */
import type { Path } from "./manifest.ts";

/** Levels of values in values: more than any manifest needs, and fewer than any parser's recursion bears. */
export const MAX_DEPTH = 100;
export const TOO_DEEP = `is nested more than ${MAX_DEPTH} levels deep`;

/** Counted from 1, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A file as a value, and where its parts stand. */
export interface ParsedFile {
  readonly value: unknown;
  /** Where `path` stands, or the nearest thing around it that exists. */
  find(path: Path): Position | undefined;
}

/** What a parser throws. */
export class SyntaxFault extends Error {
  override readonly name = "SyntaxFault";
  readonly position: Position | undefined;

  constructor(message: string, position: Position | undefined) {
    super(message);
    this.position = position;
  }
}

/** Turns an offset in `text` into a position. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - (before.lastIndexOf("\n") + 1) + 1 };
}
