/**
 * Feeds random and damaged streams to every codec and compares what they say.
 *
 *   npm run fuzz [-- --count 100000] [--seed N]
 *
 * Prints the seed. A failing stream is shrunk and saved as a vector, fuzz-SEED.json, in the current folder.
 */
import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { difference } from "../tests/support/codec/compare.ts";
import { randomLargeStream, randomStream, type Stream } from "../tests/support/codec/generate.ts";
import { hex } from "../tests/support/codec/record.ts";
import { shrink } from "../tests/support/codec/shrink.ts";
import { Random } from "../tests/support/random.ts";

const { values } = parseArgs({ options: { count: { type: "string", default: "100000" }, seed: { type: "string" } } });
const count = Number(values.count);
const seed = values.seed === undefined ? randomInt(2 ** 32) : Number(values.seed);
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(seed))
  throw new Error("--count and --seed take whole numbers");

/** Of what a long stream came to. */
const MOST_TOLD = 2000;

console.log(`seed ${seed}, ${count} streams`);
const random = new Random(seed);
let failed: Stream | undefined;
for (let index = 0; index < count && failed === undefined; index++) {
  const stream = index % 1000 === 999 ? randomLargeStream(random) : randomStream(random);
  if (difference(stream) !== undefined) failed = stream;
}
if (failed === undefined) {
  console.log("every codec gave the same, right answer to each of them");
} else {
  const small = shrink(failed, (stream) => difference(stream) !== undefined);
  const told = difference(small)?.slice(0, MOST_TOLD);
  const file = `fuzz-${seed}.json`;
  const vector = {
    name: `fuzz seed ${seed}`,
    bytes: hex(small.bytes),
    limit: small.limit,
    cuts: [small.cuts],
    difference: told,
  };
  await writeFile(file, `${JSON.stringify({ format: small.format, vectors: [vector] }, undefined, 2)}\n`);
  console.error(`${told}\nsaved as ${file}: ${small.format}, ${small.bytes.length} bytes`);
  process.exitCode = 1;
}
