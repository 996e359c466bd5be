/** Rows of text: aligned for a person, separated by tabs for a program. */

import { oneLine } from "./printable.ts";
import type { Paint } from "./style.ts";
import { padEnd, textWidth, wrap } from "./text_width.ts";

/** The narrowest last column that is still wrapped beside the others. */
const NARROWEST = 16;

/** One line a row, cells separated by tabs: for pipes. */
export function plainTable(rows: readonly (readonly string[])[]): string[] {
  return rows.map((row) => row.map(oneLine).join("\t"));
}

/** Columns aligned, the last one wrapped to `columns`; `paints` colours each column. */
export function alignedTable(
  rows: readonly (readonly string[])[],
  columns: number,
  paints: readonly (Paint | undefined)[] = [],
): string[] {
  const cells = rows.map((row) => row.map(oneLine));
  const last = largest(cells, (row) => row.length) - 1;
  const widths = Array.from({ length: last }, (_, i) => largest(cells, (row) => textWidth(row[i] ?? "")));
  const before = widths.reduce((sum, width) => sum + width + 2, 0);
  const room = Math.max(NARROWEST, columns - before);
  return cells.flatMap((row) => {
    const head = widths.map((width, i) => `${paint(paints[i], padEnd(row[i] ?? "", width))}  `).join("");
    return wrap(row[last] ?? "", room).map((line, i) =>
      ((i === 0 ? head : " ".repeat(before)) + paint(paints[last], line)).trimEnd(),
    );
  });
}

/** Not the arguments of Math.max: there may be more rows than the stack holds. */
function largest<T>(values: readonly T[], measure: (value: T) => number): number {
  return values.reduce((most, value) => Math.max(most, measure(value)), 0);
}

function paint(paint: Paint | undefined, text: string): string {
  return paint === undefined ? text : paint(text);
}
