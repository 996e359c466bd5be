/** `extwire tools`: what an extension offers. */
import type { ToolInfo } from "../../dhara/types.ts";
import { isObject } from "../../rpc/message.ts";
import type { Cli } from "../context.ts";
import { alignedTable, plainTable } from "../table.ts";
import { resolveTarget } from "../target.ts";
import { withHost } from "../with_host.ts";

export interface ToolsFlags {
  readonly json?: boolean;
  readonly protocol?: "dhara" | "mx";
}

export async function tools(this: Cli, flags: ToolsFlags, target?: string): Promise<void> {
  const { output } = this;
  output.json = flags.json === true;
  const manifest = await resolveTarget(target, { rest: this.rest, protocol: flags.protocol, self: this.self });
  output.activity(`starting ${manifest.id}`);
  const found = await withHost(this, {}, async (host) => {
    await host.start(manifest);
    return host.tools();
  });
  output.progressDone();
  if (output.json) return output.value(found);
  for (const line of toolLines(found, output)) output.line(line);
  if (found.length === 0) {
    const why =
      manifest.protocol === "mx" ? "MX extensions offer no tools; extwire run hosts them" : "it offers no tools";
    output.note(`${manifest.id}: ${why}`);
  }
}

/** Name, parameters and description of each tool, as it fits where it is printed. */
function toolLines(tools: readonly ToolInfo[], output: Cli["output"]): string[] {
  return output.outIsTerminal ? toolTable(tools, output) : plainTable(toolRows(tools));
}

/** The same for a person. */
export function toolTable(tools: readonly ToolInfo[], output: Cli["output"], indent = ""): string[] {
  const { bold, cyan } = output.outStyle;
  return alignedTable(toolRows(tools), output.outColumns - indent.length, [bold, cyan]).map((line) => indent + line);
}

function toolRows(tools: readonly ToolInfo[]): string[][] {
  return tools.map(({ name, inputSchema, description }) => [name, parameters(inputSchema), description]);
}

/** `url max_chars?`: the parameters in their order, the optional ones marked. */
function parameters(schema: unknown): string {
  if (!isObject(schema) || !isObject(schema["properties"])) return "";
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.keys(schema["properties"])
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(" ");
}
