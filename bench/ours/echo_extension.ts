import { text } from "../../src/dhara/content.ts";
import { defineExtension } from "../../src/dhara/define.ts";

export const echoExtension = defineExtension({
  name: "bench",
  version: "1.0.0",
  tools: [
    {
      name: "echo",
      description: "Answers with its input",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string" } },
        required: ["text"],
        additionalProperties: false,
      } as const,
      execute: async (input) => text(input.text),
    },
  ],
});
