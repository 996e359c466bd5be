/** What the compiler must refuse. Checked by `tsc`, never run. */
import Type from "typebox";
import * as v from "valibot";
import { z } from "zod";
import { defineExtension, defineTool } from "../../src/dhara/define.ts";

const ABOUT = { name: "t", description: "A tool" } as const;
const STRING = { type: "object", properties: { url: { type: "string" } }, required: ["url"] } as const;

// @ts-expect-error: an extension needs a version
defineExtension({ name: "x", tools: [] });

// @ts-expect-error: a tool needs a description
defineTool({ name: "t", inputSchema: STRING, execute: () => "" });

// @ts-expect-error: a plain valibot schema cannot be converted to JSON Schema: toStandardJsonSchema makes one that can
defineTool({ ...ABOUT, inputSchema: v.object({ a: v.string() }), execute: () => "" });

// @ts-expect-error: a number is no schema
defineTool({ ...ABOUT, inputSchema: 5, execute: () => "" });

// @ts-expect-error: a handler returns text, content or a result
defineTool({ ...ABOUT, inputSchema: STRING, execute: () => 5 });

// @ts-expect-error: content of an unknown kind
defineTool({ ...ABOUT, inputSchema: STRING, execute: () => ({ type: "audio", data: "" }) });

// @ts-expect-error: a handler returns something
defineTool({ ...ABOUT, inputSchema: STRING, execute: () => undefined });

defineTool({
  ...ABOUT,
  inputSchema: { type: "object", properties: { url: { type: "string" } } },
  // @ts-expect-error: the fault is the handler's name, not the schema
  handler: () => "",
});

defineTool({
  ...ABOUT,
  inputSchema: STRING,
  execute(input, { progress }) {
    // @ts-expect-error: url is text
    input.url.toFixed();
    // @ts-expect-error: progress takes text
    progress(5);
    return input.url;
  },
});

defineExtension({
  name: "x",
  version: "1",
  tools: [
    // @ts-expect-error: url is text, so a handler that wants a number does not fit
    { ...ABOUT, inputSchema: z.object({ url: z.string() }), execute: ({ url }: { url: number }) => String(url) },
    {
      ...ABOUT,
      inputSchema: z.object({ n: z.string().transform(Number) }),
      // What zod puts out, not what it takes in.
      execute: ({ n }) => n.toFixed(),
    },
    {
      ...ABOUT,
      inputSchema: Type.Object({ a: Type.String(), b: Type.Optional(Type.Number()) }),
      execute: ({ a, b }) => a.repeat(b ?? 1),
    },
    { ...ABOUT, inputSchema: { type: "object" }, execute: (input) => String(input["anything"]) },
    { ...ABOUT, inputSchema: {}, execute: (input) => String(input["anything"]) },
  ],
});
