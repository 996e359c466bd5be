/** Schemas of all kinds, in this process: what is taken, what is refused, and in which words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import fc from "fast-check";
import Type from "typebox";
import { Check } from "typebox/schema";
import * as v from "valibot";
import { z } from "zod";
import { defineExtension } from "../../src/dhara/define.ts";
import { quickCheck } from "../../src/dhara/quick_check.ts";
import { compileSchema } from "../../src/dhara/schema.ts";
import { nearest } from "../../src/dhara/suggest.ts";
import { ExtensionError } from "../../src/rpc/errors.ts";

async function issue(schema: unknown, input: unknown): Promise<string | undefined> {
  const compiled = compileSchema(schema, "tool 't'");
  await compiled.prepare();
  return (await compiled.check(input))?.issue;
}

test("[X-17] draft-07 and 2020-12 are both read as they are meant", async () => {
  const tuple07 = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "array",
    items: [{ type: "string" }],
    additionalItems: false,
  };
  assert.equal(await issue(tuple07, ["a"]), undefined);
  assert.match((await issue(tuple07, ["a", 1])) ?? "", /Input|Parameter/);
  const tuple2020 = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "array",
    prefixItems: [{ type: "string" }],
    items: false,
  };
  assert.equal(await issue(tuple2020, ["a"]), undefined);
  assert.notEqual(await issue(tuple2020, ["a", 1]), undefined);
  const definitions = {
    definitions: { url: { type: "string" } },
    type: "object",
    properties: { url: { $ref: "#/definitions/url" } },
  };
  assert.equal(await issue(definitions, { url: "x" }), undefined);
  assert.equal(await issue(definitions, { url: 1 }), "Parameter 'url' must be a string, not a number");
  const defs = {
    $defs: { url: { $anchor: "u", type: "string" } },
    type: "object",
    properties: { url: { $ref: "#u" } },
  };
  assert.equal(await issue(defs, { url: "x" }), undefined);
  const recursive = { type: "object", properties: { next: { $ref: "#" }, n: { type: "integer" } }, required: ["n"] };
  assert.equal(await issue(recursive, { n: 1, next: { n: 2, next: { n: 3 } } }), undefined);
  assert.equal(await issue(recursive, { n: 1, next: { n: 2, next: {} } }), "Missing required parameter 'next.next.n'");
});

test("[X-17] what stands beside a $ref is ignored in draft-07, and counts in 2020-12 and where no dialect is named", async () => {
  const schema = {
    $ref: "#/definitions/input",
    required: ["more"],
    definitions: {
      input: {
        properties: {
          a: { $ref: "#/definitions/text", maxLength: 1 },
          // Neither a property of that name is one, nor a value.
          $ref: { type: "integer", maximum: 1 },
          b: { enum: [{ $ref: "x", maxLength: 1 }] },
        },
      },
      text: { type: "string", maxLength: 3 },
    },
  };
  const draft07 = { $schema: "http://json-schema.org/draft-07/schema#", ...schema };
  assert.equal(await issue(draft07, { a: "abc", $ref: 1, b: { $ref: "x", maxLength: 1 } }), undefined);
  assert.match((await issue(draft07, { a: "abcd" })) ?? "", /Parameter 'a' /);
  assert.match((await issue(draft07, { $ref: 2 })) ?? "", /Parameter '\$ref' /);
  assert.match((await issue(draft07, { b: { $ref: "x" } })) ?? "", /Parameter 'b' must be one of/);
  for (const newer of [schema, { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema }]) {
    assert.equal(await issue(newer, {}), "Missing required parameter 'more'");
    assert.match((await issue(newer, { a: "abc", more: 1 })) ?? "", /Parameter 'a' /);
  }
});

test("[X-17] what is no schema is refused with what is wrong and where", async () => {
  const refused = async (schema: unknown, message: RegExp) => {
    await assert.rejects(
      async () => {
        await compileSchema(schema, "tool 't'").prepare();
      },
      (error: unknown) => {
        assert.ok(error instanceof ExtensionError, String(error));
        assert.equal(error.code, "bad-schema");
        assert.match(error.message, /^tool 't': the inputSchema is not usable: /);
        assert.match(error.message, message);
        return true;
      },
    );
  };
  for (const schema of [undefined, null, 5, "object", [], true, () => {}])
    await refused(schema, /it must be an object/);
  await refused({ type: "strange" }, /Keyword 'type'/);
  await refused({ type: "object", properties: [] }, /Keyword 'properties' must be an object, not an array/);
  await refused({ type: "object", required: "url" }, /Keyword 'required' must be an array, not a string/);
  await refused(
    { properties: { a: { minimum: "1" } } },
    /Keyword 'properties\.a\.minimum' must be a number, not a string/,
  );
  await refused({ type: "string", pattern: "(" }, /pattern/);
  await refused({ patternProperties: { "(": {} } }, /patternProperties/);
  await refused({ $ref: "#/nowhere" }, /\$ref "#\/nowhere" cannot be resolved/);
  await refused({ $ref: "https://example.com/schema" }, /cannot be resolved \(other documents are not loaded\)/);
  await refused(
    { $schema: "https://example.com/mine", type: "object" },
    /\$schema "https:\/\/example\.com\/mine" is not supported/,
  );
  await refused({ default: 1n }, /BigInt/);
  const cycle: Record<string, unknown> = {};
  cycle["properties"] = cycle;
  await refused(cycle, /circular|cyclic/i);
  let deep: unknown = { type: "string" };
  for (let i = 0; i < 1_200; i++) deep = { items: deep };
  await refused(deep, /maxDepth \(1000 levels\)|nested too deeply/);
});

test("[X-17] [C14] a schema that refers to itself without an end, or an input too deep for it, is an answer and no crash", async () => {
  const endless = { $ref: "#" };
  const outcome = await issue(endless, {}).catch((error: unknown) => String(error));
  assert.match(String(outcome), /nested too deeply/);
  const list = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"], minProperties: 1 };
  let input: unknown = {};
  for (let i = 0; i < 50_000; i++) input = { next: input };
  assert.equal(typeof (await issue(list, input)), "string");
});

test("[X-17] zod, valibot, arktype-like functions and typebox schemas all work", async () => {
  assert.equal(await issue(z.object({ a: z.string() }), { a: "x" }), undefined);
  assert.equal(await issue(z.object({ a: z.string() }), {}), "Missing required parameter 'a'");
  const valibot = toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.minLength(2)) }));
  assert.equal(await issue(valibot, { a: "xx" }), undefined);
  assert.equal(await issue(valibot, {}), "Missing required parameter 'a'");
  assert.match((await issue(valibot, { a: "x" })) ?? "", /^Parameter 'a': /);
  assert.equal(await issue(Type.Object({ a: Type.String() }), {}), "Missing required parameter 'a'");
  const arktype = Object.assign(() => {}, {
    "~standard": { version: 1, vendor: "arktype", jsonSchema: { input: () => ({ type: "object", required: ["a"] }) } },
  });
  assert.equal(await issue(arktype, {}), "Missing required parameter 'a'");
  const only07 = {
    "~standard": {
      version: 1,
      vendor: "x",
      jsonSchema: {
        input({ target }: { target: string }) {
          if (target !== "draft-07") throw new Error("not that one");
          return { type: "object" };
        },
      },
    },
  };
  assert.deepEqual(compileSchema(only07, "tool 't'").json, { type: "object" });
  assert.throws(
    () => compileSchema(v.object({}), "tool 't'"),
    /wrap it with toStandardJsonSchema of @valibot\/to-json-schema/,
  );
  const asynchronous = z.object({ a: z.string().refine((a) => Promise.resolve(a === "x"), "not x") });
  assert.equal(await issue(asynchronous, { a: "x" }).catch(String), undefined);
});

test("[X-17] what is judged is what will be sent: dates as text, undefined as absent", async () => {
  const schema = { type: "object", properties: { at: { type: "string" }, n: { type: "number" } }, required: ["at"] };
  assert.equal(await issue(schema, { at: new Date(0), n: undefined }), undefined);
  assert.equal(await issue(schema, { at: undefined }), "Missing required parameter 'at'");
  assert.equal(await issue(schema, { at: "x", n: Number.NaN }), "Parameter 'n' must be a number, not null");
});

test("[C15] names of the object prototype are properties like any other", async () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["constructor","toString"],"additionalProperties":false}',
  ) as unknown;
  assert.equal(await issue(schema, {}), "Missing required parameter 'constructor'");
  assert.notEqual(await issue(schema, JSON.parse('{"constructor":1,"toString":1,"__proto__":5}')), undefined);
  const loose = { type: "object", required: ["hasOwnProperty"] };
  assert.equal(await issue(loose, {}), "Missing required parameter 'hasOwnProperty'");
});

test("[X-17] the quick check accepts nothing that the whole validator refuses", () => {
  const scalar = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer({ min: -3, max: 3 }),
    fc.double({ noNaN: true, min: -2, max: 2 }),
    fc.constantFrom("", "a", "ab", "é", "😀", "10"),
  );
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
    const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
    const name = fc.constantFrom("a", "b", "__proto__", "constructor");
    const record = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1 })),
      properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
      items: tie("schema"),
      enum: fc.uniqueArray(scalar, { minLength: 1, comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b) }),
      const: scalar,
      minimum: fc.integer({ min: -2, max: 2 }),
      exclusiveMaximum: fc.integer({ min: -2, max: 2 }),
      minLength: fc.nat(2),
      maxLength: fc.nat(2),
      minItems: fc.nat(2),
      maxItems: fc.nat(2),
      pattern: fc.constantFrom("^a", "b$", "^\\p{L}*$"),
      anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
      allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
      title: fc.constant("t"),
    };
    return {
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constant({}),
        fc.record(record, { requiredKeys: [] }),
      ),
    };
  });
  const { input } = fc.letrec<{ input: unknown }>((tie) => ({
    input: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalar,
      fc.array(tie("input"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "c", "constructor"), tie("input"), { maxKeys: 3 }),
    ),
  }));
  let accepted = 0;
  fc.assert(
    fc.property(schema, input, (of, value) => {
      const json = JSON.parse(JSON.stringify(of)) as object;
      const quick = quickCheck(json);
      if (quick === undefined || !quick(value)) return;
      accepted++;
      assert.ok(Check(json, value), "the validator refuses it");
    }),
    { numRuns: 2_000 },
  );
  assert.ok(accepted > 200, `it accepted ${accepted}, so it was tested`);
});

test("[X-17] the common kinds of schema need no more than the quick check", () => {
  assert.ok(
    quickCheck({
      type: "object",
      properties: {
        url: { type: "string", description: "where" },
        n: { type: "integer", minimum: 1, default: 3 },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["url"],
      additionalProperties: false,
    }),
  );
  for (const schema of [
    { format: "uri" },
    { $ref: "#" },
    { oneOf: [{}] },
    { not: {} },
    { type: "strange" },
    { minimum: "1" },
    { unheardOf: 1 },
    { required: ["toString"] },
  ]) {
    assert.equal(quickCheck(schema), undefined, JSON.stringify(schema));
  }
});

test("a definition that does not hold together is refused with what is missing", () => {
  const tool = { name: "t", description: "d", inputSchema: { type: "object" }, execute: () => "" } as const;
  const define = (definition: object) => () => defineExtension(definition as never);
  assert.throws(define({ name: "", version: "1", tools: [] }), /an extension needs a name/);
  assert.throws(define({ name: "x", tools: [] }), /extension 'x' needs a version/);
  assert.throws(define({ name: "x", version: "1", tools: [{ ...tool, name: "" }] }), /every tool of 'x' needs a name/);
  assert.throws(
    define({ name: "x", version: "1", tools: [{ ...tool, description: undefined }] }),
    /tool 't' needs a description/,
  );
  assert.throws(
    define({ name: "x", version: "1", tools: [{ ...tool, execute: "run" }] }),
    /tool 't' needs an execute function/,
  );
  assert.throws(define({ name: "x", version: "1", tools: [tool, tool] }), /two tools named 't'/);
  assert.throws(
    define({ name: "x", version: "1", tools: [{ ...tool, inputSchema: 5 }] }),
    /tool 't': the inputSchema is not usable: it must be an object/,
  );
});

test("the name that was meant is found when one is near, and not when none is", () => {
  assert.equal(nearest("fetchurl", ["fetch_url", "screenshot"]), "fetch_url");
  assert.equal(nearest("FETCH_URL", ["fetch_url"]), "fetch_url");
  assert.equal(nearest("ecko", ["echo", "deco"]), "echo");
  assert.equal(nearest("something", ["echo"]), undefined);
  assert.equal(nearest("", ["echo"]), undefined);
  assert.equal(nearest("x".repeat(1_000_000), ["echo"]), undefined);
});
