import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asksForJson, splitAtEscape } from "../../src/cli/arguments.ts";
import { parseByteSize } from "../../src/cli/byte_size.ts";
import { checkInput } from "../../src/cli/check_input.ts";
import { formatDuration, parseDuration } from "../../src/cli/duration.ts";
import { applyArguments } from "../../src/cli/typed_argument.ts";
import type { ToolInfo } from "../../src/dhara/types.ts";

const SCHEMA = {
  type: "object",
  properties: {
    url: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    deep: { type: "boolean" },
    nothing: { type: "null" },
    tags: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { type: "integer" } },
    options: { type: "object", properties: { level: { type: "integer" }, name: { type: "string" } } },
    either: { type: ["integer", "null"] },
    idOrName: { type: ["integer", "string"] },
    mode: { enum: ["fast", 2, null, true] },
    version: { const: 3 },
    referred: { $ref: "#/$defs/size" },
    misled: { $ref: "#/%zz" },
    any: { anyOf: [{ type: "number" }, { $ref: "#/$defs/flag" }] },
    word: { anyOf: [{ type: "string" }, { type: "null" }] },
    listed: { enum: [1, null, { a: 2 }] },
    digits: { enum: ["2", 2] },
    foreign: { $ref: "other.json/$defs/text" },
    free: {},
    "dotted.name": { type: "integer" },
  },
  $defs: { size: { type: "integer" }, flag: { type: "boolean" }, text: { type: "string" } },
};

const CLOSED = { ...SCHEMA, additionalProperties: false };

const typed: readonly [title: string, args: readonly string[], expected: unknown][] = [
  ["a string stays what was typed", ["url=https://x.example/?a=1&b=2"], { url: "https://x.example/?a=1&b=2" }],
  ["a string may look like anything", ["url=42"], { url: "42" }],
  ["a string may be empty", ["url="], { url: "" }],
  ["an integer", ["count=-7"], { count: -7 }],
  ["a number with an exponent", ["ratio=2.5e3"], { ratio: 2500 }],
  ["a fraction for an integer is left to the schema", ["count=1.5"], { count: 1.5 }],
  ["a boolean", ["deep=false"], { deep: false }],
  ["a name alone is true", ["deep"], { deep: true }],
  ["null", ["nothing=null"], { nothing: null }],
  ["an array as JSON", ['tags=["a","b"]'], { tags: ["a", "b"] }],
  ["an array by repetition", ["tags=a", "tags=b=c"], { tags: ["a", "b=c"] }],
  ["an array of one", ["sizes=5"], { sizes: [5] }],
  ["typed items", ["sizes=5", "sizes=6"], { sizes: [5, 6] }],
  ["an object as JSON", ['options={"level":2}'], { options: { level: 2 } }],
  ["a path into an object", ["options.level=2", "options.x=y"], { options: { level: 2, x: "y" } }],
  ["what a path leads to by its own schema", ["options.name=2"], { options: { name: "2" } }],
  ["a path through what was given as something else", ["free=1", "free.a=2"], { free: { a: 2 } }],
  ["a name that has a dot itself", ["dotted.name=2"], { "dotted.name": 2 }],
  ["one of several types", ["either=null"], { either: null }],
  ["the other of several types", ["either=4"], { either: 4 }],
  ["text where text is allowed too", ["idOrName=4"], { idOrName: "4" }],
  ["a choice of text", ["mode=fast"], { mode: "fast" }],
  ["a choice of a number", ["mode=2"], { mode: 2 }],
  ["a choice of null", ["mode=null"], { mode: null }],
  ["a choice of text before one of a number", ["digits=2"], { digits: "2" }],
  ["a choice of an object", ['listed={"a":2}'], { listed: { a: 2 } }],
  ["a constant", ["version=3"], { version: 3 }],
  ["behind a reference", ["referred=9"], { referred: 9 }],
  ["a reference that leads nowhere", ["misled=9"], { misled: 9 }],
  ["an alternative behind a reference", ["any=true"], { any: true }],
  ["text as one of the alternatives", ["word=5"], { word: "5" }],
  ["a reference into somebody else's document", ["foreign=5"], { foreign: 5 }],
  ["without a type, an array takes more by repetition", ["free=[1]", "free=2"], { free: [1, 2] }],
  ["a number that is too large for one", ["free=1e999"], { free: "1e999" }],
  ["without a type, JSON is JSON", ['free={"a":[1]}'], { free: { a: [1] } }],
  ["without a type, the rest is text", ["free=0123"], { free: "0123" }],
  ["digits that a number would not keep", ["free=12345678901234567890"], { free: "12345678901234567890" }],
  ["a name the schema does not know", ["other=1"], { other: 1 }],
];

describe("--arg by the tool's inputSchema", () => {
  for (const [title, args, expected] of typed) {
    test(title, () => assert.deepEqual(applyArguments({}, args, SCHEMA), expected));
  }

  test("what --input gave stays, and is not written to", () => {
    const base = { url: "a", options: { level: 1 } };
    const input = applyArguments(base, ["options.x=2", "url=b"], SCHEMA);
    assert.deepEqual(input, { url: "b", options: { level: 1, x: 2 } });
    assert.deepEqual(base, { url: "a", options: { level: 1 } });
  });

  test("[C15] __proto__ and its like are names as any other", () => {
    const input = applyArguments({}, ["__proto__.polluted=1", "constructor=x", "toString=y"], {});
    assert.deepEqual(Object.keys(input), ["__proto__", "constructor", "toString"]);
    assert.equal(Object.getPrototypeOf(input), Object.prototype);
    assert.equal((Object.prototype as Record<string, unknown>)["polluted"], undefined);
  });

  test("what a schema says itself counts beside its alternatives", () => {
    const schema = { properties: { a: { type: "string" } }, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    assert.deepEqual(applyArguments({}, ["a=1"], schema), { a: "1" });
  });

  test("a schema that refers to itself comes to an end", () => {
    const schema = { properties: { a: { $ref: "#/properties/a" } } };
    assert.deepEqual(applyArguments({}, ["a=1"], schema), { a: 1 });
  });
});

const refused: readonly [args: readonly string[], message: RegExp, schema?: object][] = [
  [["count=ten"], /^--arg count takes a whole number, not "ten"$/],
  [["count=12345678901234567890"], /--arg count takes a whole number/],
  [["count=0x10"], /--arg count/],
  [["deep=yes"], /--arg deep takes true or false/],
  [["either=x"], /a whole number or null/],
  [["url"], /--arg url has no value/],
  [["=1"], /write key=value/],
  [["count=1", "count=2"], /given twice/],
  [["options=no"], /an object as JSON/],
  [["listed=x"], /^--arg listed takes a number or null or an object as JSON, not "x"$/],
  [["version=x"], /^--arg version takes a number, not "x"$/],
  [["ur=x"], /has no parameter "ur"; did you mean "url"\?/, { $ref: "#/$defs/x", $defs: { x: CLOSED } }],
  [["ur=x"], /has no parameter "ur"; did you mean "url"\?/, CLOSED],
  [["zzzzzzzzz=x"], /it has url, count/, CLOSED],
];

describe("a wrong --arg is refused in words", () => {
  for (const [args, message, schema = SCHEMA] of refused) {
    test(args.join(" "), () => assert.throws(() => applyArguments({}, args, schema), { name: "UsageError", message }));
  }
});

test("what stands behind -- belongs to another program", () => {
  assert.deepEqual(splitAtEscape(["tools", "--", "x", "--", "y"]), { inputs: ["tools"], rest: ["x", "--", "y"] });
  assert.deepEqual(splitAtEscape(["tools"]), { inputs: ["tools"], rest: undefined });
  assert.deepEqual([asksForJson(["tools", "--json"]), asksForJson(["tools", "--", "x", "--json"])], [true, false]);
});

test("durations", () => {
  for (const [text, ms] of [
    ["30s", 30_000],
    ["500ms", 500],
    ["1.5m", 90_000],
    ["2h", 7_200_000],
    ["3", 3_000],
    [" 3s\n", 3_000],
    ["1ms", 1],
    ["1.4ms", 1],
    ["2147483647ms", 2_147_483_647],
  ] as const) {
    assert.equal(parseDuration(text), ms);
  }
  for (const text of ["", "s", "-1s", "1d", "30 s", "0s", "0.9ms", "2147483648ms", "1000h", "1e3", "NaN"]) {
    assert.throws(() => parseDuration(text), { name: "UsageError" }, text);
  }
  for (const [ms, text] of [
    [5, "5 ms"],
    [999.4, "999 ms"],
    [999.6, "1.0 s"],
    [1_500, "1.5 s"],
    [59_940, "59.9 s"],
    [59_960, "1 min 0 s"],
    [119_400, "1 min 59 s"],
    [119_600, "2 min 0 s"],
    [125_000, "2 min 5 s"],
  ] as const) {
    assert.equal(formatDuration(ms), text, `${ms}`);
  }
});

test("sizes", () => {
  for (const [text, bytes] of [
    ["64MiB", 67_108_864],
    ["64mib", 67_108_864],
    ["64M", 67_108_864],
    ["64MB", 64_000_000],
    ["500kB", 500_000],
    ["1KiB", 1_024],
    ["1.5k", 1_536],
    ["0.25GiB", 268_435_456],
    ["0.25g", 268_435_456],
    ["0.5GB", 500_000_000],
    ["2048", 2_048],
    ["2048B", 2_048],
    ["500MiB", 524_288_000],
    [" 2048\n", 2_048],
    ["1.0001k", 1_024],
  ] as const) {
    assert.equal(parseByteSize(text), bytes, text);
  }
  for (const text of ["", "MiB", "-1", "64 MiB", "64TiB", "1e6", "0x400", "NaN", "64Mi", "1constructor"]) {
    assert.throws(() => parseByteSize(text), { name: "UsageError", message: /is not a size; write 64MiB/ }, text);
  }
  for (const text of ["0", "1023", "501MiB", "1GiB", "9".repeat(400)]) {
    assert.throws(() => parseByteSize(text), { name: "UsageError", message: /between 1KiB and 500MiB/ }, text);
  }
});

test("[X-17] an input that breaks the schema is told with what the tool takes", async () => {
  const properties = {
    url: { type: "string", description: "Where" },
    count: { type: ["integer", "null"] },
    kind: { type: "string", enum: ["csv", "text"] },
    free: true,
  };
  const check = (inputSchema: object, input: unknown) =>
    checkInput({ name: "t", description: "", inputSchema } as ToolInfo, input);
  await check({ type: "object", properties: { url: properties.url } }, { url: "x" });
  await assert.rejects(check({ type: "object", properties: { ...properties, nothing: {} }, required: ["url"] }, {}), {
    name: "UsageError",
    message:
      't: Missing required parameter \'url\'\n  url (string): Where\n  count (integer or null, optional)\n  kind ("csv" or "text", optional)\n  free (any, optional)\n  nothing (any, optional)',
  });
  await assert.rejects(check({ type: "object", minProperties: 1 }, {}), { name: "UsageError", message: /^t: .*\S$/ });
  // What no schema is the host judges.
  await check({ type: "objekt" }, {});
});
