// Compiled, not run: what an editor tells a user of the package, here without the types of any runtime.
import { defineExtension, type Host, type ToolResult } from "extwire";

export const extension = defineExtension({
  name: "typed",
  version: "1.0.0",
  tools: [
    {
      name: "repeat",
      description: "Repeats a text",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string" }, times: { type: "integer" } },
        required: ["text"],
      },
      execute({ text, times }) {
        const count: number | undefined = times;
        // @ts-expect-error: a text is no number
        const wrong: number = text;
        return text.repeat(count ?? wrong);
      },
    },
  ],
});

export async function use(host: Host): Promise<ToolResult> {
  // @ts-expect-error: a manifest names its protocol
  await host.start({ id: "x", command: "x", args: [] });
  return await host.execute("repeat", { text: "a" });
}
