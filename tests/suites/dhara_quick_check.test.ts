/** Each keyword that the quick check knows, at its edge: it takes what fits, and leaves the rest to whoever refuses it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { quickCheck } from "../../src/dhara/quick_check.ts";
import { compileSchema } from "../../src/dhara/schema.ts";

const AT_THE_EDGE: readonly (readonly [schema: object, fits: readonly unknown[], wrong: readonly unknown[]])[] = [
  [{ type: "string" }, ["", "1"], [1, null]],
  [{ type: "number" }, [0, 1.5], ["0", true]],
  [{ type: "integer" }, [0, -1], [1.5, "1"]],
  [{ type: "boolean" }, [false], [0, "false"]],
  [{ type: "null" }, [null], [0, {}]],
  [{ type: "array" }, [[]], [{}, "a"]],
  [{ type: "object" }, [{}], [[], null]],
  [{ type: ["string", "null"] }, ["", null], [0, false]],
  [{ enum: ["a", 1] }, ["a", 1], ["b", "1"]],
  [{ const: null }, [null], [0, false]],
  [{ minimum: 2 }, [2, "1"], [1.5]],
  [{ maximum: 2 }, [2, "3"], [2.5]],
  [{ exclusiveMinimum: 2 }, [2.5, "2"], [2]],
  [{ exclusiveMaximum: 2 }, [1.5, "2"], [2]],
  [{ minLength: 2 }, ["ab", 1, []], ["a"]],
  [{ maxLength: 2 }, ["ab", 123, [1, 2, 3]], ["abc"]],
  [{ minItems: 2 }, [[1, 2], "a", {}], [[1]]],
  [{ maxItems: 2 }, [[1, 2], "abc", {}], [[1, 2, 3]]],
  [{ pattern: "^a" }, ["ab", 1, null], ["b"]],
  [{ properties: { a: { type: "string" } } }, [{}, { a: "" }, { b: 1 }, "a", []], [{ a: 1 }]],
  [{ required: ["a"] }, [{ a: null }, "b", []], [{}, { b: 1 }]],
  [{ properties: { a: {} }, additionalProperties: false }, [{ a: 1 }, {}, "b"], [{ b: 1 }]],
  [{ additionalProperties: { type: "string" } }, [{ b: "" }, 1], [{ b: 1 }]],
  [{ items: { type: "string" } }, [[], ["a"], "a", {}], [["a", 1]]],
  [{ anyOf: [{ type: "string" }, { minimum: 2 }] }, ["", 2], [1]],
  [{ allOf: [{ type: "number" }, { minimum: 2 }] }, [2], [1, "2"]],
  [{ $schema: "http://json-schema.org/draft-07/schema#", maximum: 2 }, [2], [3]],
];

test("[X-17] each keyword takes what fits at once, and what does not is refused", async () => {
  for (const [schema, fits, wrong] of AT_THE_EDGE) {
    const quick = quickCheck(schema);
    const compiled = compileSchema(schema, "tool 't'");
    for (const value of fits) {
      assert.equal(quick?.(value), true, `${JSON.stringify(schema)} takes ${JSON.stringify(value)} at once`);
    }
    for (const value of wrong) {
      const verdict = await compiled.check(value);
      assert.ok(verdict?.issue, `${JSON.stringify(schema)} refuses ${JSON.stringify(value)}`);
    }
  }
});

test("[X-17] an operand that is none makes no quick check, so the schema of schemas refuses it", async () => {
  for (const schema of [
    { minLength: 1.5 },
    { maxLength: -1 },
    { minItems: "1" },
    { maximum: null },
    { anyOf: [] },
    { allOf: {} },
    { type: [] },
    { properties: [] },
    { pattern: 1 },
    { items: "a" },
    { required: ["a", 1] },
    { $schema: "https://example.com/mine" },
  ]) {
    assert.equal(quickCheck(schema), undefined, JSON.stringify(schema));
    const prepare = async () => await compileSchema(schema, "tool 't'").prepare();
    await assert.rejects(prepare, { code: "bad-schema" }, JSON.stringify(schema));
  }
});
