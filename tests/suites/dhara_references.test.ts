/** What the schema of schemas does not see: references, which lead somewhere in their schema or are refused, and expressions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../src/dhara/schema.ts";

/** A schema whose parameter `a` is what `$ref` says. */
function schemaWith($ref: string, more: object): object {
  return { type: "object", properties: { a: { $ref } }, ...more };
}

async function prepared(schema: object) {
  const compiled = compileSchema(schema, "tool 't'");
  await compiled.prepare();
  return compiled;
}

test("[X-17] a reference by pointer, by anchor, or by the schema's own id is followed", async () => {
  const text = { type: "string" };
  for (const schema of [
    schemaWith("#/definitions/text", { definitions: { text } }),
    schemaWith("#/$defs/a~1b%20c", { $defs: { "a/b c": text } }),
    schemaWith("#text", { $defs: { one: { $anchor: "text", ...text } } }),
    schemaWith("#text", { $defs: { one: { $dynamicAnchor: "text", ...text } } }),
    schemaWith("https://example.com/tool#/$defs/text", { $id: "https://example.com/tool", $defs: { text } }),
  ]) {
    const compiled = await prepared(schema);
    assert.equal(await compiled.check({ a: "x" }), undefined, JSON.stringify(schema));
    const verdict = await compiled.check({ a: 1 });
    assert.equal(verdict?.issue, "Parameter 'a' must be a string, not a number", JSON.stringify(schema));
  }
});

test("[X-17] a reference to what is not in the schema is refused, whatever else has its name", async () => {
  const definitions = { text: { type: "string" } };
  for (const [schema, message] of [
    [
      schemaWith("other.json#/definitions/text", { definitions }),
      /"other\.json#\/definitions\/text" cannot be resolved \(other documents are not/,
    ],
    [schemaWith("/definitions/text", { definitions }), /cannot be resolved \(other documents are not loaded\)/],
    [schemaWith("#/definitions/text/type/0", { definitions }), /cannot be resolved$/],
    [schemaWith("#/definitions/toString", { definitions }), /cannot be resolved$/],
    [schemaWith("#Text", { title: "Text" }), /"#Text" cannot be resolved$/],
    // A value is no schema, and no reference either.
    [schemaWith("#text", { default: { $anchor: "text" } }), /"#text" cannot be resolved$/],
  ] as const) {
    await assert.rejects(prepared(schema), { code: "bad-schema", message }, JSON.stringify(schema));
  }
  await prepared({ not: { enum: [{ $ref: "#/nowhere" }] } });
});

test("[X-17] an expression that is none is refused also where only a reference makes a schema of it", async () => {
  for (const one of [{ pattern: "(" }, { patternProperties: { "(": {} } }]) {
    const schema = schemaWith("#/more/one", { more: { one } });
    await assert.rejects(prepared(schema), { code: "bad-schema", message: /the pattern "\(" can't be used: / });
  }
});

test("[C15] [X-17] beside names that every object inherits, what an input has of its own still counts", async () => {
  const compiled = await prepared({
    type: "object",
    properties: { toString: { type: "number" }, list: { items: { required: ["valueOf"] }, minItems: 1 } },
    required: ["list"],
  });
  for (const [input, said] of [
    [{ list: [{ valueOf: 1 }] }, undefined],
    [{ list: [{ valueOf: 1 }], toString: 2 }, undefined],
    [{ list: [{ valueOf: 1 }], toString: "2" }, "Parameter 'toString' must be a number, not a string"],
    [{ list: [{}] }, "Missing required parameter 'list[0].valueOf'"],
    [{ list: [null, "a"] }, undefined],
    [{ list: [] }, "Parameter 'list' must have at least 1 items"],
    [{}, "Missing required parameter 'list'"],
  ] as const) {
    const verdict = await compiled.check(input);
    assert.equal(verdict?.issue, said, JSON.stringify(input));
  }
});
