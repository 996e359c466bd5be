/** Lines, as fast as they can be written by hand: each chunk is cut at its last newline and decoded once. */

/** Gives a chunk's whole lines at once. */
export function lineReader(lines: (lines: string[]) => void): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  return (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(10);
    rest = end === bytes.length - 1 ? undefined : Buffer.from(bytes.subarray(end + 1));
    if (end >= 0) lines(bytes.toString("utf8", 0, end).split("\n"));
  };
}

export function linesText(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
