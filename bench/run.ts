/**
 * `npm run bench -- [NAME…] [--json] [--quick] [--runtime node,deno,bun,PATH]`: measures and prints.
 * The method and kept results stand in docs/performance.md.
 */
import { parseArgs } from "node:util";
import { codec } from "./codec.ts";
import { verdict } from "./goals.ts";
import { table } from "./harness/rows.ts";
import { runtimeOf } from "./harness/runtimes.ts";
import { bulk } from "./suites/bulk.ts";
import { scale } from "./suites/scale.ts";
import { startup } from "./suites/startup.ts";
import { stdio } from "./suites/stdio.ts";
import type { Suite } from "./suites/suite.ts";
import { tcp } from "./suites/tcp.ts";

const suites: Readonly<Record<string, Suite>> = { codec, stdio, tcp, bulk, scale, startup };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    runtime: { type: "string", default: "node" },
  },
});

const unknown = positionals.find((name) => suites[name] === undefined);
if (unknown !== undefined) {
  console.error(`no suite ${unknown}: there are ${Object.keys(suites).join(", ")}`);
  process.exit(2);
}

for (const word of values.runtime.split(",")) {
  const runtime = runtimeOf(word);
  for (const [name, suite] of Object.entries(suites)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const begin = performance.now();
    const rows = await suite({ runtime, quick: values.quick });
    if (values.json) {
      for (const row of rows) console.log(JSON.stringify(row));
    } else {
      console.log(
        `\n${name} on ${runtime.name} (${Math.round((performance.now() - begin) / 1000)} s)\n\n${table(rows, verdict)}`,
      );
    }
  }
}
