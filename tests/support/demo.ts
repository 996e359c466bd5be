/** What `extwire demo --json` must tell, whatever it runs on. */
import assert from "node:assert/strict";

/** One JSON object a line; anything else fails. */
export function readEvents(output: string): Record<string, unknown>[] {
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** That plain output of the demo tells the whole story. */
export function assertWholeDemo(output: string): void {
  for (const told of [/fetch_url/, /count_words/, /draw_chart/, /640/, /\.png/, /exit/i]) assert.match(output, told);
}
