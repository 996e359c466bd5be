/** What an author of an extension writes: tools with their schemas and handlers. */
import type { Static } from "typebox";
import { kindOf } from "../rpc/kind_of.ts";
import { type CompiledSchema, compileSchema, type InputSchema } from "./schema.ts";
import type { StandardSchema } from "./standard_schema.ts";
import type { Content, ToolCallId, ToolInfo, ToolResult } from "./types.ts";

/** What a handler knows about the call it answers. */
export interface ToolContext {
  /** Tells the caller how far the call is (D-12). Does nothing once the handler has settled. */
  readonly progress: (message: string) => void;
  /** Aborted when the call is cancelled, on shutdown, and when the host is gone. Made when first read. */
  readonly signal: AbortSignal;
  /** The host's name for this call; undefined when it gave none. */
  readonly toolCallId: ToolCallId | undefined;
  /** The host's working folder from `initialize` (D-06); undefined when it gave none. */
  readonly cwd: string | undefined;
}

/** What a handler may return: text, content, or a whole result (D-08). */
export type ToolOutput = string | Content | readonly Content[] | ToolResult;

/** The type of the input that fits a schema: what zod, valibot and others put out, or what a JSON Schema describes. */
export type InputOf<Schema> =
  Schema extends StandardSchema<unknown, infer Output> ? Output : Schema extends object ? Known<Static<Schema>> : never;

/** A schema that names no properties still describes an object. */
type Known<Type> = [keyof Type] extends [never] ? Record<string, unknown> : Type;

/** One tool (D-07). */
export interface Tool<Schema extends InputSchema = InputSchema> {
  /** Unique in its extension. */
  readonly name: string;
  /** Read by a person or a model that picks a tool. */
  readonly description: string;
  /** Plain JSON Schema (draft-07 or 2020-12), or a Standard Schema that gives one. The input is checked against it first. */
  readonly inputSchema: Schema;
  /**
   * Does the work. An RpcError it throws is answered as it is, any other error as -32000 with its message.
   * For a failure that the caller should read and act on, return `failure(message)`.
   */
  readonly execute: (input: InputOf<Schema>, context: ToolContext) => ToolOutput | Promise<ToolOutput>;
}

/** What `defineExtension` takes. */
export interface ExtensionDefinition<Schemas extends readonly InputSchema[]> {
  readonly name: string;
  readonly version: string;
  readonly tools: { readonly [Index in keyof Schemas]: Tool<Schemas[Index]> };
  /** Cleans up before the process ends (D-09). The host kills what is not done 5 s after `shutdown` (D-13). */
  readonly onShutdown?: (() => void | Promise<void>) | undefined;
}

/** A tool, compiled. */
export interface CompiledTool {
  readonly name: string;
  readonly schema: CompiledSchema;
  readonly execute: (input: never, context: ToolContext) => unknown;
}

/** A checked definition: what `serve` and `DharaServer` run. */
export interface Extension {
  readonly name: string;
  readonly version: string;
  /** As they are listed to the host. */
  readonly tools: readonly ToolInfo[];
  readonly compiled: ReadonlyMap<string, CompiledTool>;
  readonly onShutdown: (() => void | Promise<void>) | undefined;
  /** Undefined when every schema is known to be one, else it rejects with `bad-schema`. */
  prepare(): Promise<unknown> | undefined;
}

/**
 * Checks a definition and compiles its schemas. The type of each handler's input comes from its `inputSchema`.
 *
 * Throws an ExtensionError `bad-schema` for a schema that can't be used, and a TypeError for a definition that does not hold together.
 *
 * @example
 * ```ts
 * import { defineExtension } from "extwire";
 * const extension = defineExtension({
 *   name: "hello",
 *   version: "1.0.0",
 *   tools: [
 *     {
 *       name: "greet",
 *       description: "Greets somebody by name",
 *       inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
 *       execute: ({ name }) => `Hello, ${name}`, // name is a string
 *     },
 *   ],
 * });
 * console.log(extension.tools[0]?.name); // greet
 * ```
 */
export function defineExtension<const Schemas extends readonly InputSchema[]>(
  definition: ExtensionDefinition<Schemas>,
): Extension {
  const { name, version, onShutdown } = definition;
  requireText(name, "an extension needs a name");
  requireText(version, `extension '${name}' needs a version, as in "1.0.0"`);
  const tools: ToolInfo[] = [];
  const compiled = new Map<string, CompiledTool>();
  const given: unknown = definition.tools;
  if (!Array.isArray(given))
    throw new TypeError(`the tools of extension '${name}' must be an array, not ${kindOf(given)}`);
  for (const tool of given as readonly Tool[]) {
    requireText(tool.name, `every tool of '${name}' needs a name`);
    requireText(tool.description, `tool '${tool.name}' needs a description`);
    if (compiled.has(tool.name)) throw new TypeError(`extension '${name}' has two tools named '${tool.name}'`);
    if (typeof tool.execute !== "function") throw new TypeError(`tool '${tool.name}' needs an execute function`);
    const schema = compileSchema(tool.inputSchema, `tool '${tool.name}'`);
    compiled.set(tool.name, { name: tool.name, schema, execute: (input, context) => tool.execute(input, context) });
    tools.push({ name: tool.name, description: tool.description, inputSchema: schema.json });
  }
  return {
    name,
    version,
    tools,
    compiled,
    onShutdown,
    prepare() {
      const loading = [...compiled.values()].map(({ schema }) => schema.prepare()).filter((each) => each !== undefined);
      return loading.length === 0 ? undefined : Promise.all(loading);
    },
  };
}

/**
 * A tool on its own, typed, to be listed in a definition elsewhere.
 *
 * @example
 * ```ts
 * import { defineExtension, defineTool } from "extwire";
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
 *   execute: ({ a, b }) => String(a + b),
 * });
 * console.log(defineExtension({ name: "math", version: "1.0.0", tools: [add] }).name); // math
 * ```
 */
export function defineTool<const Schema extends InputSchema>(tool: Tool<Schema>): Tool<Schema> {
  return tool;
}

function requireText(value: unknown, why: string): void {
  if (typeof value !== "string" || value === "") throw new TypeError(why);
}
