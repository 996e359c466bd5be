/** The runtimes that measured programs run on. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";

export interface Runtime {
  /** As it stands in a row, such as `node 20`. */
  readonly name: string;
  readonly kind: "node" | "deno" | "bun";
  readonly command: string;
  /** Goes before the bundle. */
  readonly args: readonly string[];
}

/** `node` is the one that runs this; `deno` and `bun` are those of the project; anything else is a path to a binary. */
export function runtimeOf(word: string): Runtime {
  const installed = (name: string): string => resolve(import.meta.dirname, "../../node_modules", name);
  if (word === "node") return runtimeAt(process.execPath);
  if (word === "deno") return runtimeAt(installed("deno/deno"));
  if (word === "bun") return runtimeAt(installed("bun/bin/bun.exe"));
  return runtimeAt(resolve(word));
}

function runtimeAt(command: string): Runtime {
  if (!existsSync(command)) throw new Error(`no runtime at ${command}: give node, deno, bun or the path of a binary`);
  const version = execFileSync(command, ["--version"], { encoding: "utf8" });
  const file = basename(command);
  const kind = file.startsWith("deno") ? "deno" : file.startsWith("bun") ? "bun" : "node";
  const major = /(\d+)(\.\d+)?/.exec(version) ?? [];
  return {
    name: `${kind} ${kind === "node" ? major[1] : major[0]}`,
    kind,
    command,
    args: kind === "deno" ? ["run", "--allow-all", "--no-config", "--no-lock", "--no-check", "--quiet"] : [],
  };
}

/** The flags that give a program `globalThis.gc`, to go before the bundle. */
export function gcFlags(runtime: Runtime): readonly string[] {
  return [runtime.kind === "deno" ? "--v8-flags=--expose-gc" : "--expose-gc"];
}
