/** The tools of one extension as its host knows them, each with its compiled schema. */
import type { Diagnostic } from "../rpc/channel.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { messageOf } from "../rpc/thrown.ts";
import { type CompiledSchema, compileSchema } from "./schema.ts";
import { unknownName } from "./suggest.ts";
import type { ToolInfo } from "./types.ts";

export interface KnownTool {
  readonly info: ToolInfo;
  /** What stands before the input in the params of its calls. */
  readonly head: string;
  /** Undefined for a schema that nothing can check: the extension has to. */
  schema: CompiledSchema | undefined;
}

export class KnownTools {
  readonly #extension: string;
  readonly #diagnose: (diagnostic: Diagnostic) => void;
  #tools: ReadonlyMap<string, KnownTool> = new Map<string, KnownTool>();
  /** In the order of the extension. */
  infos: readonly ToolInfo[] = [];

  constructor(extension: string, diagnose: (diagnostic: Diagnostic) => void) {
    this.#extension = extension;
    this.#diagnose = diagnose;
  }

  /** Throws an ExtensionError `unknown-tool` for a name that is none of theirs. */
  get(name: string): KnownTool {
    const tool = this.#tools.get(name);
    if (tool) return tool;
    const why = `${unknownName("tool", name, this.#tools.keys())} (extension '${this.#extension}')`;
    throw new ExtensionError("unknown-tool", why, { extension: this.#extension });
  }

  /** At once where it can, else the promise settles when the list is taken. Never rejects. */
  take(infos: readonly ToolInfo[]): Promise<void> | undefined {
    const tools = new Map<string, KnownTool>();
    const loading: Promise<unknown>[] = [];
    for (const info of infos) {
      const head = `{"toolName":${JSON.stringify(info.name)},"input":`;
      const tool: KnownTool = { info, head, schema: undefined };
      tools.set(info.name, tool);
      try {
        tool.schema = compileSchema(info.inputSchema, `tool '${info.name}'`);
        const prepared = tool.schema.prepare();
        if (prepared) loading.push(prepared.catch((error: unknown) => this.#unchecked(tool, error)));
      } catch (error) {
        this.#unchecked(tool, error);
      }
    }
    const commit = () => {
      this.#tools = tools;
      this.infos = infos;
    };
    if (loading.length > 0) return Promise.all(loading).then(commit);
    commit();
    return undefined;
  }

  /** A schema that is none costs its tool the check, not the extension its start: the extension checks too. */
  #unchecked(tool: KnownTool, error: unknown): void {
    tool.schema = undefined;
    this.#diagnose({ code: "bad-schema", message: `${messageOf(error)}. Its input is not checked here` });
  }
}
