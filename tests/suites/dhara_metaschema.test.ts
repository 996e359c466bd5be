/** Our schema of schemas beside the published ones, on random schemas. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Check, Meta } from "typebox/schema";
import { metaschemasFor } from "../../src/dhara/metaschema.ts";

test("[X-17] what is a schema is judged as the published schemas of schemas judge it", () => {
  const operands: fc.Arbitrary<unknown> = fc.constantFrom<unknown[]>(
    true,
    null,
    -1,
    0,
    1.5,
    3,
    "",
    "a",
    "#a",
    "(",
    "string",
    {},
    [],
    [{}],
    ["a"],
    ["a", "a"],
    ["string", "null"],
    [3],
    { a: {} },
    { a: 1 },
    { a: ["b"] },
    { a: [1] },
    { "(": {} },
    { type: 1 },
    [{ type: 1 }],
    { a: { type: 1 } },
  );
  type Published = { readonly properties: object; readonly allOf?: readonly Published[] };
  const keywordsOf = ({ properties, allOf = [] }: Published): string[] => [
    ...Object.keys(properties),
    ...allOf.flatMap(keywordsOf),
  ];
  for (const [dialect, published] of Object.entries(Meta)) {
    if (!/draft-07|2020-12/.test(dialect)) continue;
    const [meta] = metaschemasFor(dialect);
    // `enum` should be neither empty nor of equals in draft-07, and what should be need not be.
    const keywords = keywordsOf(published as unknown as Published).filter(
      (name) => name !== "enum" && name !== "$vocabulary",
    );
    assert.ok(keywords.length > 40);
    const schemas = fc.dictionary(fc.constantFrom(...keywords), operands, { maxKeys: 2 });
    fc.assert(
      fc.property(schemas, (schema) => {
        assert.equal(Check(meta!, schema), Check(published, schema));
      }),
      { numRuns: 2_000 },
    );
  }
});
