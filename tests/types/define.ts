/** What the compiler must infer and refuse. Checked by `tsc`, never run. */
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { z } from "zod";
import { defineExtension, defineTool } from "../../src/dhara/define.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_equal: Equal<A, B>): void {}

defineExtension({
  name: "types",
  version: "1.0.0",
  tools: [
    {
      name: "plain",
      description: "plain JSON Schema",
      inputSchema: {
        type: "object",
        properties: {
          url: { type: "string" },
          count: { type: "integer" },
          tags: { type: "array", items: { type: "string" } },
          mode: { enum: ["fast", "slow"] },
        },
        required: ["url", "mode"],
      },
      execute(input, { progress, signal, toolCallId }) {
        same<typeof input.url, string>(true);
        same<typeof input.count, number | undefined>(true);
        same<typeof input.tags, string[] | undefined>(true);
        same<typeof input.mode, "fast" | "slow">(true);
        same<typeof signal, AbortSignal>(true);
        same<typeof toolCallId, string | number | undefined>(true);
        progress("ok");
        // @ts-expect-error: no such parameter
        return String(input.missing);
      },
    },
    {
      name: "zod",
      description: "zod",
      inputSchema: z.object({ url: z.url(), depth: z.number().default(3) }),
      async execute(input) {
        same<typeof input, { url: string; depth: number }>(true);
        return { type: "text", text: input.url };
      },
    },
    {
      name: "valibot",
      description: "valibot",
      inputSchema: toStandardJsonSchema(v.object({ id: v.number(), note: v.optional(v.string()) })),
      execute(input) {
        same<typeof input, { id: number; note?: string | undefined }>(true);
        return [{ type: "text", text: input.note ?? "" }];
      },
    },
  ],
});

const add = defineTool({
  name: "add",
  description: "Adds",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  execute: ({ a, b }) => String(a + b),
});
defineExtension({ name: "math", version: "1.0.0", tools: [add] });
