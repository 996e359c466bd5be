/** The vectors, cut in every place, through every codec. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CODECS, type NamedCodec } from "../support/codec/codecs.ts";
import { type Format, hex, record, unhex, withoutWording } from "../support/codec/record.ts";
import { framesMeaning, linesMeaning } from "../support/codec/reference.ts";
import { eventOf, pixelVectors, type StreamVector, streamVectors } from "../support/codec/vectors.ts";

for (const format of ["lines", "frames"] as const) {
  for (const named of CODECS) {
    describe(`${format} by ${named.title}`, () => {
      for (const vector of streamVectors(format)) {
        const ids = vector.clauses.map((id) => `[${id}]`).join(" ");
        test(`${ids} ${format}: ${vector.name}, by ${named.title}`, () => checkVector(named, format, vector));
      }
    });
  }
}

function checkVector({ codec }: NamedCodec, format: Format, vector: StreamVector): void {
  const bytes = unhex(vector.bytes);
  const expected = vector.expect.map(eventOf);
  const failure = vector.expect.find(({ error }) => error !== undefined);
  const consumed = failure?.offset ?? bytes.length;
  const everyCut = Array.from({ length: bytes.length + 1 }, (_, cut) => [cut]);
  const everyByte = Array.from({ length: bytes.length }, (_, index) => index);
  for (const cuts of [[], ...(vector.cuts ?? []), ...everyCut, everyByte]) {
    const recording = record(codec, format, bytes, cuts, { maxMessageBytes: vector.limit });
    assert.deepEqual(withoutWording(recording.events), expected, `cut at [${cuts.join(", ")}]`);
    assert.equal(recording.consumed, consumed, `cut at [${cuts.join(", ")}]`);
    for (const mention of failure?.mentions ?? []) assert.ok(recording.events.at(-1)?.includes(mention), mention);
  }
}

test("[D-01] [M-01] the vectors and the second opinion that random streams are held to agree", () => {
  for (const format of ["lines", "frames"] as const) {
    for (const { name, bytes, limit, expect } of streamVectors(format)) {
      const meaning = (format === "lines" ? linesMeaning : framesMeaning)(Array.from(unhex(bytes)), limit);
      assert.deepEqual(meaning.events, expect.map(eventOf), name);
    }
  }
});

for (const { title, codec } of CODECS) {
  test(`[X-11] pixels: every vector, by ${title}`, () => {
    for (const vector of pixelVectors()) {
      const source = unhex(vector.source);
      if (vector.rgba === undefined) {
        assert.throws(() => codec.pixels(source, vector), RangeError, vector.name);
        continue;
      }
      assert.equal(hex(codec.pixels(source, vector)), vector.rgba, vector.name);
      const target = new Uint8Array(vector.rgba.length / 2 + 8).fill(0xee);
      const odd = new Uint8Array([0, ...source]).subarray(1);
      assert.equal(hex(codec.pixels(odd, vector, target)), vector.rgba, `${vector.name}, into a target`);
      assert.equal(hex(target.subarray(-8)), "ee".repeat(8), `${vector.name}: nothing is written behind the picture`);
      if (vector.rgba !== "") assert.throws(() => codec.pixels(source, vector, new Uint8Array(3)), RangeError);
    }
  });
}
