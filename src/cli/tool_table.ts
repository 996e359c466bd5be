/** A list of tools as a table. */
import type { ToolInfo } from "../dhara/types.ts";
import { isObject } from "../rpc/message.ts";
import type { Output } from "./output.ts";
import { alignedTable, plainTable } from "./table.ts";

/** Name, parameters and description of each tool, as it fits where it is printed. */
export function toolLines(tools: readonly ToolInfo[], output: Output): string[] {
  return output.outIsTerminal ? toolTable(tools, output) : plainTable(toolRows(tools));
}

/** The same for a person. */
export function toolTable(tools: readonly ToolInfo[], output: Output, indent = ""): string[] {
  const { bold, cyan } = output.outStyle;
  return alignedTable(toolRows(tools), output.outColumns - indent.length, [bold, cyan]).map((line) => indent + line);
}

function toolRows(tools: readonly ToolInfo[]): string[][] {
  return tools.map(({ name, inputSchema, description }) => [name, parameters(inputSchema), description]);
}

/** `url max_chars?`: the parameters in their order, the optional ones marked. */
function parameters(schema: unknown): string {
  if (!isObject(schema) || !isObject(schema["properties"])) return "";
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  return Object.keys(schema["properties"])
    .map((name) => (required.has(name) ? name : `${name}?`))
    .join(" ");
}
