/** What is seen of the arguments before they are parsed. */

/** Everything after the first `--` is a command to start, and none of our business. */
export function splitAtEscape(argv: readonly string[]): {
  inputs: readonly string[];
  rest: readonly string[] | undefined;
} {
  const at = argv.indexOf("--");
  return at === -1 ? { inputs: argv, rest: undefined } : { inputs: argv.slice(0, at), rest: argv.slice(at + 1) };
}

/** Whether a program reads what is printed, errors too. */
export function asksForJson(argv: readonly string[]): boolean {
  return splitAtEscape(argv).inputs.includes("--json");
}
