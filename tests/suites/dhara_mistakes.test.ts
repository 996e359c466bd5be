/** The mistakes of whoever writes an extension with the SDK: each is told in words that say what belongs there instead. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import { serve } from "../../src/adapters/node.ts";
import { image, toToolResult } from "../../src/dhara/content.ts";
import { defineExtension } from "../../src/dhara/define.ts";
import { DharaServer } from "../../src/dhara/extension.ts";
import { DharaSession } from "../../src/dhara/host.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { rejected } from "../support/rejected.ts";

const TOOL = { name: "t", description: "A tool", inputSchema: { type: "object" }, execute: () => "fine" };

function define(more: object): void {
  defineExtension({ name: "x", version: "1.0.0", tools: [TOOL], ...more } as never);
}

const RETURN = "return a string, text(…), image(…), file(…), an array of these or failure(…)";

test("what a handler returns and is no result is named, with what may be returned", () => {
  const cases: [returned: unknown, message: string][] = [
    [undefined, `nothing; ${RETURN}`],
    [null, `null; ${RETURN}`],
    [42, `a number; ${RETURN}`],
    [new Date(0), `a Date; ${RETURN}`],
    [new Map(), `a Map; ${RETURN}`],
    [new Error("returned, not thrown"), `an Error; ${RETURN}`],
    [new Uint8Array(1), `a Uint8Array; ${RETURN}`],
    [{ answer: 42 }, `an object without content; ${RETURN}`],
    [Object.create(null), `an object without content; ${RETURN}`],
    [[1], "content[0] must be an object, not a number"],
    [["a", Promise.resolve("b")], "content[1] must be an object, not a promise: await it"],
    [{ type: "text", text: Promise.resolve("a") }, "content[0].text must be a string, not a promise: await it"],
    [{ content: ["a"] }, "content[0] must be an object, not a string"],
    [{ isError: true }, "content must be an array, not nothing"],
    [{ type: "picture" }, 'content[0].type must be "text", "image" or "file", not "picture"'],
  ];
  for (const [returned, message] of cases) assert.throws(() => toToolResult(returned), { name: "TypeError", message });
});

test("[D-14] several texts are an array of strings, with other content or without", () => {
  assert.deepEqual(toToolResult(["a", image({ path: "/b.png" })]), {
    content: [
      { type: "text", text: "a" },
      { type: "image", path: "/b.png" },
    ],
    isError: false,
  });
});

test("[C11] the host of a handler that returns nothing reads what may be returned", async () => {
  const [here, there] = memoryPair();
  const errors: unknown[] = [];
  const tools = [{ ...TOOL, execute: () => undefined as never }];
  const server = new DharaServer(defineExtension({ name: "x", version: "1", tools }), there, {
    onError: (error) => void errors.push(error),
  });
  const session = new DharaSession(here, { id: "x" });
  await session.initialize({ cwd: "/" });
  const { message } = await rejected(session.execute("t"));
  assert.equal(message, `tool 't' returned an invalid result: nothing; ${RETURN}`);
  assert.equal((errors[0] as Error).message, message);
  await session.close();
  await server.closed;
});

test("an image of what is no bytes is a TypeError", () => {
  const message = "the data of an image must be a Uint8Array, not [object String]: encode or wrap it";
  assert.throws(() => image({ bytes: "iVBORw0" as never, mimeType: "image/png" }), { name: "TypeError", message });
});

test("an image of bytes that another realm made, as a test runner's sandbox is one, is as good as any", () => {
  const bytes: Uint8Array = runInNewContext("new Uint8Array([1, 2, 3])");
  assert.ok(!(bytes instanceof Uint8Array));
  assert.equal(image({ bytes, mimeType: "image/png" }).data, "AQID");
});

test("a definition that does not hold together says what is wrong with it", () => {
  assert.throws(() => define({ tools: undefined }), {
    message: "the tools of extension 'x' must be an array, not nothing",
  });
  assert.throws(() => define({ tools: { t: TOOL } }), {
    message: "the tools of extension 'x' must be an array, not an object",
  });
  const { inputSchema: _, ...without } = TOOL;
  const schema = /tool 't': the inputSchema is not usable: it must be an object, not nothing/;
  assert.throws(() => define({ tools: [{ ...without, parameters: {} }] }), schema);
});

test("[X-17] a schema that is the properties alone is refused with what belongs there", async () => {
  const prepared = async (inputSchema: object) => {
    await defineExtension({ name: "x", version: "1", tools: [{ ...TOOL, inputSchema }] }).prepare();
  };
  const why = (word: string) => ({
    code: "bad-schema",
    message: `tool 't': the inputSchema is not usable: it has no keyword of JSON Schema, only "${word}": describe parameters as { type: "object", properties: { … } }`,
  });
  await assert.rejects(prepared({ town: { type: "string" } }), why("town"));
  await assert.rejects(prepared(z.object({ town: z.string() }).shape), why("town"));
  for (const fine of [{}, { title: "Anything" }, { const: { a: 1 } }, { "x-mine": 1, default: {} }])
    await prepared(fine);
});

test("a schema that its library cannot convert is told with its tool, and without the stack of the library", () => {
  const inputSchema = z.object({ when: z.date() });
  assert.throws(
    () => define({ tools: [{ ...TOOL, inputSchema }] }),
    (error: Error) => {
      assert.equal(error.message, "tool 't': the inputSchema is not usable: Date cannot be represented in JSON Schema");
      assert.equal(error.cause, undefined);
      return true;
    },
  );
});

test("[C25] an object that a handler throws and that is no error is told by its message, or as JSON", async () => {
  const thrown: unknown[] = [
    { message: "it broke", code: 5 },
    { code: 5 },
    runInNewContext("new RangeError('far away')"),
  ];
  const [here, there] = memoryPair();
  const execute = () => {
    throw thrown.shift();
  };
  const extension = defineExtension({ name: "x", version: "1", tools: [{ ...TOOL, execute }] });
  const server = new DharaServer(extension, there, { onError() {} });
  const session = new DharaSession(here, { id: "x" });
  await session.initialize({ cwd: "/" });
  for (const message of ["it broke", '{"code":5}', "far away"]) {
    await assert.rejects(session.execute("t"), { code: -32000, message });
  }
  await session.close();
  await server.closed;
});

test("serve says what it takes before it touches stdin and stdout", async () => {
  for (const given of [undefined, { name: "x", version: "1", tools: [TOOL] }]) {
    await assert.rejects(serve(given as never), {
      name: "TypeError",
      message: "serve takes what defineExtension returns",
    });
  }
});

test("[X-17] a keyword, or a parameter, that fits no alternative is told what would", async () => {
  const types = '"array", "boolean", "integer", "null", "number", "object", "string"';
  const typo = defineExtension({
    name: "x",
    version: "1",
    tools: [{ ...TOOL, inputSchema: { type: "objekt" } }],
  } as never);
  const why = `tool 't': the inputSchema is not usable: Keyword 'type' must be one of ${types} or an array`;
  assert.equal((await rejected(Promise.resolve(typo.prepare()))).message, why);

  const inputSchema = {
    type: "object",
    properties: {
      simple: { anyOf: [{ enum: ["a", "b"] }, { type: "array", items: { type: "string" } }, { type: "null" }] },
      nested: { anyOf: [{ type: "object", required: ["q"] }, { type: "number" }] },
    },
  };
  const { compiled } = defineExtension({ name: "x", version: "1", tools: [{ ...TOOL, inputSchema }] } as never);
  const check = async (input: object) => (await compiled.get("t")?.schema.check(input))?.issue;
  assert.equal(await check({ simple: "c" }), 'Parameter \'simple\' must be one of "a", "b" or an array or null');
  assert.equal(await check({ simple: null }), undefined);
  // A branch that nearly fits says more than the others, and not in a word.
  assert.equal(await check({ simple: [1] }), "Parameter 'simple' must match a schema in anyOf");
  assert.equal(await check({ nested: {} }), "Parameter 'nested' must match a schema in anyOf");
});
