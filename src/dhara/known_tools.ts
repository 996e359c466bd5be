/** The tools of one extension as its host knows them, each with its compiled schema. */
import { ExtensionError } from "../rpc/errors.ts";
import { type CompiledSchema, compileSchema } from "./schema.ts";
import { unknownName } from "./suggest.ts";
import type { ToolInfo } from "./types.ts";

export interface KnownTool {
  readonly info: ToolInfo;
  /** Its name as JSON. */
  readonly quoted: string;
  /** Undefined for a schema that nothing can check: the extension has to. */
  readonly schema: CompiledSchema | undefined;
}

export class KnownTools {
  readonly #extension: string;
  readonly #diagnose: (code: string, message: string) => void;
  #tools: ReadonlyMap<string, KnownTool> = new Map<string, KnownTool>();
  #infos: readonly ToolInfo[] = [];

  constructor(extension: string, diagnose: (code: string, message: string) => void) {
    this.#extension = extension;
    this.#diagnose = diagnose;
  }

  /** In the order of the extension. */
  get infos(): readonly ToolInfo[] {
    return this.#infos;
  }

  get(name: string): KnownTool | undefined {
    return this.#tools.get(name);
  }

  unknown(name: string): ExtensionError {
    const why = `${unknownName("tool", name, this.#tools.keys())} (extension '${this.#extension}')`;
    return new ExtensionError("unknown-tool", why, { extension: this.#extension });
  }

  /** A schema that is none costs its tool the check, not the extension its start: the extension checks too. */
  async take(infos: readonly ToolInfo[]): Promise<void> {
    const tools = new Map<string, KnownTool>();
    for (const info of infos) {
      let schema: CompiledSchema | undefined;
      try {
        schema = compileSchema(info.inputSchema, `tool '${info.name}'`);
        const loading = schema.prepare();
        if (loading !== undefined) await loading;
      } catch (error) {
        schema = undefined;
        this.#diagnose("bad-schema", `${(error as Error).message}. Its input is not checked here`);
      }
      tools.set(info.name, { info, quoted: JSON.stringify(info.name), schema });
    }
    this.#tools = tools;
    this.#infos = infos;
  }
}
