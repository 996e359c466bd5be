/** What an author of an extension writes: tools with their schemas and handlers. */
import type { Static } from "typebox";
import { kindOf } from "../rpc/kind_of.ts";
import { type CompiledSchema, compileSchema, type InputSchema } from "./schema.ts";
import type { StandardSchema } from "./standard_schema.ts";
import type { Content, ToolCallId, ToolInfo, ToolResult } from "./types.ts";

/** What a tool's handler gets besides its input. */
export interface ToolContext {
  /** Sends a progress message to the caller (D-12). Does nothing once the handler has settled. */
  readonly progress: (message: string) => void;
  /** Aborted when the call is cancelled, on shutdown, and when the host is gone. Made when first read. */
  readonly signal: AbortSignal;
  /** The host's name for this call; undefined when it gave none. */
  readonly toolCallId: ToolCallId | undefined;
  /** The host's working folder from `initialize` (D-06); undefined when it gave none. */
  readonly cwd: string | undefined;
}

/** What a handler may return: text, content, several of these, or a whole result (D-08). */
export type ToolOutput = string | Content | readonly (string | Content)[] | ToolResult;

/** The type of a handler's input: the output of a schema of zod, valibot and the like, or what a JSON Schema describes. */
export type InputOf<Schema> =
  Schema extends StandardSchema<unknown, infer Output> ? Output : Schema extends object ? Known<Static<Schema>> : never;

/** A schema that names no properties still describes an object. */
type Known<Type> = [keyof Type] extends [never] ? Record<string, unknown> : Type;

/** A tool: what the host is told of it, and its handler (D-07). */
export interface Tool<Schema extends InputSchema = InputSchema> {
  /** Unique in its extension. */
  readonly name: string;
  /** For the person or the model that chooses a tool. */
  readonly description: string;
  /**
   * Plain JSON Schema (draft-07 or 2020-12), or a Standard Schema that can produce one. The input is checked against it
   * before the handler runs.
   */
  readonly inputSchema: Schema;
  /**
   * Does the work. If it throws an RpcError, that is the answer; any other error is answered with -32000 and its message.
   * For a failure that the caller should read and act on, return `failure(message)`.
   */
  readonly execute: (input: InputOf<Schema>, context: ToolContext) => ToolOutput | Promise<ToolOutput>;
}

/** What `defineExtension` takes. */
export interface ExtensionDefinition<Schemas extends readonly InputSchema[]> {
  readonly name: string;
  readonly version: string;
  readonly tools: { readonly [Index in keyof Schemas]: Tool<Schemas[Index]> };
  /** Cleans up before the process ends (D-09). The host kills the process 5 s after `shutdown` (D-13). */
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
  /** The tools as they are listed to the host. */
  readonly tools: readonly ToolInfo[];
  readonly compiled: ReadonlyMap<string, CompiledTool>;
  readonly onShutdown: (() => void | Promise<void>) | undefined;
  /** Undefined if every schema is known to be valid. Otherwise a promise, which rejects with `bad-schema` if one is not. */
  prepare(): Promise<unknown> | undefined;
}

/**
 * Checks a definition and compiles its schemas. The type of each handler's input comes from its `inputSchema`.
 *
 * @throws ExtensionError `bad-schema` for a schema that can't be used
 * @throws TypeError for a definition that is not valid, such as two tools of one name
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
 * Defines a tool apart from its extension, with the type of the handler's input taken from `inputSchema`.
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
