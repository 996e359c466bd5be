/** Which extension has which tool. */
import { unknownName } from "../dhara/suggest.ts";
import { ExtensionError } from "../rpc/errors.ts";

interface Toolbox {
  readonly tools: readonly { readonly name: string }[];
  readonly manifest: { readonly id: string };
}

export class ToolIndex<T extends Toolbox> {
  /** An array only where several have a tool of that name. */
  #byName: Map<string, T | T[]> | undefined;
  readonly #all: () => Iterable<T>;

  constructor(all: () => Iterable<T>) {
    this.#all = all;
  }

  /** Some list has changed. */
  forget(): void {
    this.#byName = undefined;
  }

  /** The one that has the tool. Undefined when there is none, or more than one. */
  only(tool: string): T | undefined {
    const found = this.#names().get(tool);
    return Array.isArray(found) ? undefined : found;
  }

  /** Why `only` found none. */
  error(tool: string): ExtensionError {
    const names = this.#names();
    const found = names.get(tool);
    if (Array.isArray(found)) {
      const ids = found.map(({ manifest }) => `'${manifest.id}'`).join(", ");
      return new ExtensionError(
        "unknown-tool",
        `several extensions have a tool '${tool}' (${ids}): name one with the option \`extension\``,
      );
    }
    const known = [...names.keys()];
    const there = known.length > 0 ? `there are: ${known.join(", ")}` : "no running extension has any tools";
    return new ExtensionError("unknown-tool", `${unknownName("tool", tool, known)} (${there})`);
  }

  #names(): Map<string, T | T[]> {
    if (this.#byName) return this.#byName;
    const names = new Map<string, T | T[]>();
    for (const each of this.#all()) {
      for (const { name } of each.tools) {
        const found = names.get(name);
        names.set(
          name,
          found === undefined || found === each ? each : [...(Array.isArray(found) ? found : [found]), each],
        );
      }
    }
    this.#byName = names;
    return names;
  }
}
