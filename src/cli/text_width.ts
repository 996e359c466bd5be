/** How text lies on a terminal: columns it takes, cut and wrapped. */

/** Two columns each: East Asian wide and fullwidth forms, and pictographs. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const ZERO = /^(?:[\p{Mn}\p{Me}]|[\u200b-\u200f])/u;
const STYLE = /\x1b\[[\d;]*m/g;

/** Columns that `text` takes, colour sequences left out. */
export function textWidth(text: string): number {
  let columns = 0;
  for (const char of text.replace(STYLE, "")) columns += ZERO.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return columns;
}

/** Cuts to `columns`, with an ellipsis where something is missing. For text without colours. */
export function truncate(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = "";
  let used = 0;
  for (const char of text) {
    const width = textWidth(char);
    if (used + width > columns - 1) break;
    kept += char;
    used += width;
  }
  return `${kept}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

/** Breaks at spaces into lines of at most `columns`; a longer word stands alone on its line. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((word) => word !== "")) {
    if (line !== "" && textWidth(line) + 1 + textWidth(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  if (line !== "" || lines.length === 0) lines.push(line);
  return lines;
}
