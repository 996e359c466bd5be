/** Reads manifest files in JSON, YAML or TOML; errors name the place in the file. The parsers are here so that the host does not load them. */
import type { ExtensionError } from "../rpc/errors.ts";
import { badManifest, checkManifest, type ExtensionManifest, type Origin, type Path, record } from "./manifest.ts";
import { parseJson } from "./manifest_json.ts";
import { parseToml } from "./manifest_toml.ts";
import { parseYaml } from "./manifest_yaml.ts";
import { MAX_DEPTH, type ParsedFile, type Position, SyntaxFault, TOO_DEEP } from "./parsed_file.ts";

const PARSERS: readonly [ending: RegExp, parse: (text: string) => ParsedFile][] = [
  [/\.jsonc?$/i, parseJson],
  [/\.ya?ml$/i, parseYaml],
  [/\.toml$/i, parseToml],
];

/**
 * Reads a manifest file with one extension. Relative paths in it are resolved against the file's folder, which is also the
 * working folder of the process unless `cwd` says otherwise.
 *
 * @param text the content of the file
 * @param fileName decides the format (`.json`, `.jsonc`, `.yaml`, `.yml`, `.toml`) and the folder, and is shown in errors
 * @throws ExtensionError `bad-manifest` with file, line, column and field
 * @example
 * ```ts
 * import { parseManifest } from "extwire/manifest";
 * const toml = 'id = "tools"\nprotocol = "dhara"\ncommand = "python3 main.py"';
 * const { args, cwd } = parseManifest(toml, "/opt/tools/extwire.toml");
 * console.log(args, cwd); // ["main.py"] /opt/tools/
 * ```
 */
export function parseManifest(text: string, fileName: string): ExtensionManifest {
  const [first, second] = parseManifests(text, fileName);
  if (first !== undefined && second === undefined) return first;
  throw badManifest(
    { at: () => fileName, folder: "" },
    [],
    `must contain exactly one extension; it contains ${first ? "several" : "none"}`,
  );
}

/**
 * Reads a manifest file with one extension, or with several under `extensions`: an array, or an object whose keys are the ids.
 *
 * @param text the content of the file
 * @param fileName as for {@linkcode parseManifest}
 * @throws ExtensionError `bad-manifest` with file, line, column and field
 * @example
 * ```ts
 * import { parseManifests } from "extwire/manifest";
 * const yaml = "extensions:\n  one: { protocol: dhara, command: one }\n  two: { protocol: mx, command: two }";
 * console.log(parseManifests(yaml, "extwire.yaml").map(({ id }) => id)); // ["one", "two"]
 * ```
 */
export function parseManifests(text: string, fileName: string): ExtensionManifest[] {
  const file = parseFile(text, fileName);
  const origin = originOf(fileName, (path) => file.find(path));
  refuseUnsafe(file.value, origin, []);
  const top = record(file.value, origin, [], "a manifest: an object with id, protocol and command");
  const { extensions: many } = top;
  if (many === undefined) return [checkManifest(top, origin)];
  const other = Object.keys(top).find((key) => key !== "extensions" && key !== "$schema");
  if (other !== undefined)
    throw badManifest(origin, [other], 'is not allowed next to "extensions"; move it into one of them');
  const entries: [key: string | number, each: unknown][] = Array.isArray(many)
    ? [...many.entries()]
    : Object.entries(record(many, origin, ["extensions"], "an array of manifests, or an object of them by id"));
  const ids = new Set<string>();
  return entries.map(([key, each]) => {
    const path = ["extensions", key];
    const manifest = checkManifest(each, origin, path, typeof key === "string" ? key : undefined);
    const { id } = manifest;
    if (ids.has(id)) {
      const why = `${JSON.stringify(id)} is used twice; each extension needs an id of its own`;
      throw badManifest(origin, [...path, "id"], why);
    }
    ids.add(id);
    return manifest;
  });
}

function parseFile(text: string, fileName: string): ParsedFile {
  const parse = PARSERS.find(([ending]) => ending.test(fileName))?.[1];
  if (parse === undefined)
    throw badManifest(
      originOf(fileName),
      [],
      "is not a manifest file name; it must end in .json, .jsonc, .yaml, .yml or .toml",
    );
  try {
    return parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch (error) {
    if (error instanceof SyntaxFault) throw syntaxError(fileName, error);
    // The stack is at its end.
    if (error instanceof RangeError) throw syntaxError(fileName, new SyntaxFault(TOO_DEEP, undefined));
    throw error;
  }
}

function syntaxError(fileName: string, { message, position }: SyntaxFault): ExtensionError {
  return badManifest(
    originOf(fileName, () => position),
    [],
    message,
  );
}

function originOf(fileName: string, find: (path: Path) => Position | undefined = () => undefined): Origin {
  return {
    folder: /^(.*[\\/])/.exec(fileName)?.[1] ?? "",
    at(path) {
      const position = find(path);
      return position ? `${fileName}:${position.line}:${position.column}` : fileName;
    },
  };
}

/** No deeper than what copies it recurses safely, and without the key that, copied about, would change what objects are. */
function refuseUnsafe(value: unknown, origin: Origin, path: Path): void {
  if (typeof value !== "object" || value === null) return;
  if (path.length > MAX_DEPTH) throw badManifest(origin, [], TOO_DEEP);
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    if (key === "__proto__") throw badManifest(origin, at, "is a key that is not allowed anywhere");
    refuseUnsafe(inner, origin, at);
  }
}
