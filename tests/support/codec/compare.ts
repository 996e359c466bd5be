import { CODECS } from "./codecs.ts";
import type { Stream } from "./generate.ts";
import { record, withoutWording } from "./record.ts";
import { framesMeaning, linesMeaning } from "./reference.ts";

// Every damaged stream makes an error in every codec, and nobody looks at where.
const { stackTraceLimit } = Error;

/** How one codec's answer to a stream is not what it should be, or undefined. */
export function difference(stream: Stream): string | undefined {
  Error.stackTraceLimit = 0;
  try {
    return firstDifference(stream);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function firstDifference(stream: Stream): string | undefined {
  const { format, bytes, cuts, limit } = stream;
  const meaning = (format === "lines" ? linesMeaning : framesMeaning)(Array.from(bytes), limit);
  const expected = meaning.events.join("\n");
  let first: string | undefined;
  for (const { title, codec } of CODECS) {
    for (const at of cuts.length === 0 ? [cuts] : [cuts, []]) {
      const { events, consumed } = record(codec, format, bytes, at, { maxMessageBytes: limit });
      const how = `${title}, cut at [${at.join(", ")}]`;
      const wording = events.join("\n");
      // The wording has no second opinion, but it has to be the same for every codec and every way to cut.
      if (wording === first && consumed === meaning.consumed) continue;
      const got = withoutWording(events).join("\n");
      if (got !== expected) return `${how}: expected\n${expected}\ngot\n${got}`;
      if (consumed !== meaning.consumed) return `${how}: expected ${meaning.consumed} bytes consumed, got ${consumed}`;
      first ??= wording;
      if (wording !== first) return `${how}: expected\n${first}\ngot\n${wording}`;
    }
  }
  return undefined;
}
