import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { difference } from "../support/codec/compare.ts";
import { randomLargeStream, randomStream, type Stream } from "../support/codec/generate.ts";
import { hex } from "../support/codec/record.ts";
import { shrink } from "../support/codec/shrink.ts";
import { Random } from "../support/random.ts";

const SEED = 20_240_607;
const STREAMS = 100_000;
const PARTS = 10;
const LARGE_STREAMS = 40;

// More of these, from a new seed each time: npm run fuzz.
describe("random streams", () => {
  for (let part = 0; part < PARTS; part++) {
    test(`[D-01] [M-01] [X-13] [A2] [A6] [B4] every codec reads ${STREAMS / PARTS} random and damaged streams alike, part ${part + 1}`, () => {
      const random = new Random(SEED + part);
      for (let index = 0; index < STREAMS / PARTS; index++) {
        const stream = randomStream(random);
        const found = difference(stream);
        if (found !== undefined)
          assert.fail(`${describeStream(stream)}, seed ${SEED + part}, stream ${index}: ${found}`);
      }
    });
  }

  test("[A13] [D-01] [M-01] every codec reads streams of many blocks alike", () => {
    const random = new Random(SEED);
    for (let index = 0; index < LARGE_STREAMS; index++) {
      const found = difference(randomLargeStream(random));
      if (found !== undefined) assert.fail(`seed ${SEED}, large stream ${index}: ${found.slice(0, 2000)}`);
    }
  });
});

function describeStream({ format, bytes, limit }: Stream): string {
  return `${format} ${hex(bytes)} with limit ${limit}`;
}

test("[A13] a large stream that fails is shrunk to what makes it fail", () => {
  const random = new Random(SEED);
  let large = randomLargeStream(random);
  while (large.format !== "lines") large = randomLargeStream(random);
  const fails = ({ bytes, cuts }: Stream): boolean =>
    bytes.filter((byte) => byte === 0x0a).length >= 3 && cuts.length > 0;
  assert.ok(fails(large) && large.bytes.length > 100_000);
  const { bytes, cuts } = shrink(large, fails);
  assert.deepEqual([hex(bytes), cuts.length], ["0a0a0a", 1]);
});
