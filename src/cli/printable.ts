/** Text of extensions without what would command the terminal. */

/**
 * Text of an extension, safe to show on a terminal: colours stay, and end with it; every other control sequence goes.
 * A tool's answer must not be able to rewrite the screen, the title or the clipboard.
 */
export function printable(text: string): string {
  const shown = withoutCommands(text);
  const last = shown.lastIndexOf("\x1b[");
  return last < 0 || /^\x1b\[[0;]*m/.test(shown.slice(last)) ? shown : `${shown}\x1b[0m`;
}

/** The same, but colours that are left open stay open. What turns the direction of writing goes too: it can fake a line. */
export function withoutCommands(text: string): string {
  return (
    text
      // None reaches over the next ESC: to look for an end that never comes would take the square of the text's length.
      .replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[P^_X][^\x1b]*\x1b\\/g, "")
      .replace(/\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]/g, (sequence) =>
        /^\x1b\[[\d;]*m$/.test(sequence) ? sequence : "",
      )
      .replace(
        /\x1b(?!\[[\d;]*m)|\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
        "",
      )
  );
}

/** The same on one line. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, " ").trim();
}
