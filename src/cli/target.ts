/** TARGET on the command line: a manifest file, a folder that holds one, one of the examples, or the command after `--`. */
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { nearest } from "../dhara/suggest.ts";
import { quoteCommand } from "../host/command_line.ts";
import type { ExtensionManifest } from "../host/manifest.ts";
import { parseManifests } from "../host/manifest_file.ts";
import { messageOf } from "../rpc/thrown.ts";
import { UsageError } from "./errors.ts";
import type { SelfCommand } from "./self.ts";

export interface TargetOptions {
  /** What stood behind `--`. */
  readonly rest: readonly string[] | undefined;
  readonly protocol: "dhara" | "mx" | undefined;
  readonly self: SelfCommand;
}

const MANIFEST_FILE = /\.(?:jsonc?|ya?ml|toml)$/i;
const MANIFEST_NAMES = ["manifest.json", "manifest.yaml", "manifest.yml", "manifest.toml"];
const EXAMPLES = ["demo:dhara", "demo:mx"];
/** They end when they are asked to, which may take a busy machine longer than MX grants an extension. */
const EXAMPLE_GRACE_MS = 10_000;
/** Programs that run a script: the extension is called after the script, not after them. */
const INTERPRETERS = /^(?:python|node|deno|bun|bunx|npx|tsx|ruby|perl|php|sh|bash|java|uv|env)[\d.]*$/;

/** The one extension that a command is about. Throws a UsageError, or an ExtensionError `bad-manifest`. */
export async function resolveTarget(target: string | undefined, options: TargetOptions): Promise<ExtensionManifest> {
  const manifests = await resolveTargets(target === undefined ? [] : [target], options);
  if (manifests.length === 1) return manifests[0]!;
  const ids = manifests.map(({ id }) => id).join(", ");
  throw new UsageError(`${target} holds ${manifests.length} extensions (${ids}); this command takes one`);
}

/** All extensions that `targets` name, each id once. */
export async function resolveTargets(
  targets: readonly string[],
  { rest, protocol, self }: TargetOptions,
): Promise<ExtensionManifest[]> {
  if (rest !== undefined) {
    if (targets.length > 0) {
      throw new UsageError(`give either a TARGET ("${targets.join(" ")}") or a command after --, not both`);
    }
    return [commandManifest(rest, protocol ?? "dhara")];
  }
  if (protocol !== undefined) {
    throw new UsageError("--protocol belongs to a command after --; a manifest names its own protocol");
  }
  if (targets.length === 0) {
    throw new UsageError("which extension? Name a manifest, a folder, demo:dhara or demo:mx, or a command after --");
  }
  const manifests = (await Promise.all(targets.map((target) => load(target, self)))).flat();
  if (manifests.length === 0)
    throw new UsageError(`${targets.join(" and ")}: "extensions" is empty; list at least one`);
  const seen = new Set<string>();
  for (const { id } of manifests) {
    if (seen.has(id)) throw new UsageError(`two extensions are called "${id}"; give one of them another id`);
    seen.add(id);
  }
  return manifests;
}

async function load(target: string, self: SelfCommand): Promise<ExtensionManifest[]> {
  if (target === "") throw new UsageError("the TARGET is empty; perhaps a variable is not set");
  if (target.startsWith("demo:")) return [exampleManifest(target, self)];
  const file = await manifestFile(target);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
  return parseManifests(text, file);
}

async function manifestFile(target: string): Promise<string> {
  const found = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new UsageError(`${target} cannot be read: ${error.message}`);
  });
  if (found === undefined) {
    if (MANIFEST_FILE.test(target)) throw new UsageError(`there is no file ${target}`);
    const meant = nearest(target, EXAMPLES);
    const command = `put -- before it if it is a command: extwire … -- ${target}`;
    throw new UsageError(`there is no file or folder ${target}; ${meant ? `did you mean ${meant}?` : command}`);
  }
  if (!found.isDirectory()) {
    if (MANIFEST_FILE.test(target)) return target;
    const runner = { ".py": ["python3"], ".js": ["node"], ".mjs": ["node"], ".ts": ["npx", "tsx"] }[extname(target)];
    const command = [...(runner ?? []), target].map((word) => quoteCommand(word)).join(" ");
    throw new UsageError(
      `${target} is not a manifest (.json, .yaml, .toml); to run it as a command, end with: -- ${command}`,
    );
  }
  // Its full path: Bun does not list "." under every Windows.
  const names = await readdir(resolve(target)).catch((error: unknown) => {
    throw new UsageError(`the folder ${target} cannot be read: ${messageOf(error)}`);
  });
  const [first, second] = MANIFEST_NAMES.filter((name) => names.includes(name));
  if (first === undefined)
    throw new UsageError(`the folder ${target} holds no manifest (${MANIFEST_NAMES.join(", ")})`);
  if (second !== undefined) throw new UsageError(`the folder ${target} holds ${first} and ${second}; name one of them`);
  return join(target, first);
}

/** One of this program's own examples. */
export function exampleManifest(target: string, self: SelfCommand, ...args: string[]): ExtensionManifest {
  if (!EXAMPLES.includes(target)) {
    const meant = nearest(target, EXAMPLES);
    throw new UsageError(
      `there is no ${target}; ${meant ? `did you mean ${meant}?` : "there are demo:dhara and demo:mx"}`,
    );
  }
  const protocol = target === "demo:mx" ? "mx" : "dhara";
  return {
    id: protocol === "mx" ? "screen-watch" : "web-tools",
    protocol,
    command: self.command,
    args: [...self.args, "extension", protocol, ...args],
    shutdownTimeoutMs: EXAMPLE_GRACE_MS,
  };
}

function commandManifest([command, ...args]: readonly string[], protocol: "dhara" | "mx"): ExtensionManifest {
  if (command === undefined || command === "") {
    throw new UsageError("after -- comes the command that starts the extension, as in: -- python3 main.py");
  }
  return { id: nameOf(command, args), protocol, command, args };
}

/** `python3 tools/main.py` is called main, `./web-tools` web-tools; a mere `main` or `index` is called after its folder too. */
function nameOf(command: string, args: readonly string[]): string {
  const program = basename(command).replace(/\.(?:exe|cmd)$/i, "");
  const script = args.find((arg) => !arg.startsWith("-") && /^\.\w+$/.test(extname(arg)));
  if (!INTERPRETERS.test(program) || script === undefined) return program;
  const name = basename(script, extname(script));
  const folder = basename(resolve(script, ".."));
  return /^(?:main|index|extension|cli|__main__)$/.test(name) && folder !== "" ? folder : name;
}
