/** Reads the list of tools as real extensions send it (D-07, X-07). */
import { kindOf } from "../rpc/kind_of.ts";
import { isObject } from "../rpc/message.ts";
import type { InitializeResult, JsonSchema, ToolInfo } from "./types.ts";

/** Takes a tool that lists no schema: any object goes. */
const ANY_OBJECT: JsonSchema = { type: "object" };

/** Throws a TypeError that says what is missing and where. `fallbackName` is for extensions that give no name. */
export function readInitializeResult(result: unknown, fallbackName: string): InitializeResult {
  if (!isObject(result)) throw new TypeError(`the result must be an object with tools, not ${kindOf(result)}`);
  const { name, version } = result;
  return {
    name: typeof name === "string" && name !== "" ? name : fallbackName,
    version: typeof version === "string" ? version : "",
    tools: readTools(result["tools"]),
  };
}

/** Throws a TypeError that says what is missing and where. */
export function readTools(tools: unknown): ToolInfo[] {
  if (!Array.isArray(tools)) throw new TypeError(`tools must be an array, not ${kindOf(tools)}`);
  const names = new Set<string>();
  return tools.map((tool: unknown, index) => {
    const read = readTool(tool, `tools[${index}]`);
    if (names.has(read.name)) throw new TypeError(`tools[${index}] is the second tool named '${read.name}'`);
    names.add(read.name);
    return read;
  });
}

function readTool(tool: unknown, where: string): ToolInfo {
  if (!isObject(tool)) throw new TypeError(`${where} must be an object, not ${kindOf(tool)}`);
  const { name, description } = tool;
  if (typeof name !== "string" || name === "") {
    throw new TypeError(`${where}.name must be a non-empty string, not ${name === "" ? "an empty one" : kindOf(name)}`);
  }
  const inputSchema = tool["inputSchema"] ?? tool["parameters"] ?? ANY_OBJECT;
  if (!isObject(inputSchema)) throw new TypeError(`${where}.inputSchema must be an object, not ${kindOf(inputSchema)}`);
  return { name, description: typeof description === "string" ? description : "", inputSchema };
}
