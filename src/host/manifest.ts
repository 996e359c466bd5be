/** What is to be run, and how: the form that the host takes, and the checks that every source of it goes through. */

import { nearest } from "../dhara/suggest.ts";
import { defined } from "../rpc/defined.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { shortened } from "../rpc/excerpt.ts";
import { isObject } from "../rpc/message.ts";
import { LONGEST_MS } from "../rpc/within.ts";
import { CommandLineError, tokenize } from "./command_line.ts";

/**
 * One extension to host. Times in milliseconds.
 *
 * @example
 * ```ts
 * import type { ExtensionManifest } from "extwire";
 * const manifest: ExtensionManifest = {
 *   id: "web-tools",
 *   protocol: "dhara",
 *   command: "python3",
 *   args: ["main.py"],
 *   cwd: "/opt/web-tools",
 *   passEnv: ["HTTPS_PROXY"],
 *   timeoutMs: 60_000,
 * };
 * console.log(manifest.id); // web-tools
 * ```
 */
export interface ExtensionManifest {
  /** The extension's name in the host: 1 to 200 characters, none of them a control character. */
  readonly id: string;
  readonly protocol: "dhara" | "mx";
  /** The program: a name to find in PATH, or a path. Never split into words; `tokenize` does that. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** The working folder of the process. Default: the host's. */
  readonly cwd?: string | undefined;
  /** Environment variables to set, besides the safe ones (X-16); undefined removes a safe one. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Names of the host's own environment variables to pass on. */
  readonly passEnv?: readonly string[] | undefined;
  /** The timeout of a call. Default 30,000 (D-13). */
  readonly timeoutMs?: number | undefined;
  /** From the start of the process until it is ready. Default 30,000. */
  readonly startTimeoutMs?: number | undefined;
  /** From `shutdown` to the kill. Default 5,000 for Dhara (D-13), 2,000 for MX (M-19). */
  readonly shutdownTimeoutMs?: number | undefined;
  /**
   * What to do after the extension died: true (the default) starts it again on its next use (X-19); `"always"` does so as soon
   * as the backoff allows, which suits an MX extension that nobody calls; false never does.
   */
  readonly restart?: boolean | "always" | undefined;
}

/** A place in a manifest: the keys and positions that lead to it. */
export type Path = readonly (string | number)[];

/** Where a manifest came from, for its errors and its relative paths. */
export interface Origin {
  /** `file:line:column` of a place, or what there is of that. */
  at(path: Path): string;
  /** The folder of the file, "" for none. */
  readonly folder: string;
}

const IN_CODE: Origin = { at: () => "the manifest", folder: "" };
const MAX_ID = 200;
const FIELDS = [
  "id",
  "protocol",
  "command",
  "args",
  "cwd",
  "env",
  "passEnv",
  "timeoutMs",
  "startTimeoutMs",
  "shutdownTimeoutMs",
  "restart",
];
/** Allowed and not read: for people and their editors. */
const REMARKS = ["$schema", "name", "version", "description", "author", "license", "homepage"];

/** Checks and completes a manifest, with what Dhara's own `manifest.json` may hold. Throws an ExtensionError `bad-manifest`. */
export function checkManifest(
  value: unknown,
  origin: Origin = IN_CODE,
  path: Path = [],
  defaultId?: string,
): ExtensionManifest {
  const reader = new Reader(record(value, origin, path, "a manifest"), origin, path);
  if (reader.has("runtime") && !reader.has("command")) return dharaManifest(reader);
  reader.refuseUnknown();
  const id = reader.id("id", defaultId);
  const protocol = reader.get("protocol");
  if (protocol === "dhara" || protocol === "mx") return { id, protocol, ...reader.command(), ...reader.settings() };
  return reader.fail(
    "protocol",
    protocol === undefined ? 'is missing; write "dhara" or "mx"' : `must be "dhara" or "mx", not ${show(protocol)}`,
  );
}

/** `{name, version, runtime: {type: "subprocess", command: "python3 main.py"}}`, with anything else that Dhara puts there. */
function dharaManifest(top: Reader): ExtensionManifest {
  const runtime = top.inner("runtime", "an object with type and command");
  const type = runtime.get("type");
  if (type !== undefined && type !== "subprocess")
    runtime.fail("type", `must be "subprocess", the only kind that is hosted here, not ${show(type)}`);
  const id = top.id(top.has("id") ? "id" : "name", undefined);
  return { id, protocol: "dhara", ...runtime.command(), ...top.settings(), ...runtime.settings() };
}

class Reader {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #origin: Origin;
  readonly #path: Path;

  constructor(value: Readonly<Record<string, unknown>>, origin: Origin, path: Path) {
    this.#value = value;
    this.#origin = origin;
    this.#path = path;
  }

  has(field: string): boolean {
    return this.get(field) !== undefined;
  }

  get(field: string): unknown {
    return this.#value[field];
  }

  fail(field: string, why: string): never {
    throw badManifest(this.#origin, [...this.#path, field], why);
  }

  inner(field: string, what: string): Reader {
    const path = [...this.#path, field];
    return new Reader(record(this.get(field), this.#origin, path, what), this.#origin, path);
  }

  refuseUnknown(): void {
    for (const field of Object.keys(this.#value)) {
      if (FIELDS.includes(field) || REMARKS.includes(field)) continue;
      const meant = nearest(field, FIELDS);
      this.fail(
        field,
        `is not a known field${meant ? `; did you mean ${meant}?` : `; the fields are ${FIELDS.join(", ")}`}`,
      );
    }
  }

  id(field: string, defaultId: string | undefined): string {
    const id = this.get(field) ?? defaultId;
    if (id === undefined) this.fail(field, "is missing; give the extension a name");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    if (typeof id === "string" && id.length > 0 && id.length <= MAX_ID && !/[\u0000-\u001f\u007f]/.test(id)) return id;
    return this.fail(
      field,
      `must be a string of 1 to ${MAX_ID} characters without control characters, not ${show(id)}`,
    );
  }

  /** `command` as an array is program and arguments; as a string without `args` in a file it is cut into words. */
  command(): { command: string; args: readonly string[]; cwd?: string } {
    const given = this.get("command");
    const args = this.#texts("args");
    let words: readonly string[];
    if (given === undefined) this.fail("command", 'is missing; name the program to run, as in "python3 main.py"');
    if (Array.isArray(given)) words = this.#texts("command") ?? [];
    else if (typeof given !== "string")
      this.fail("command", `must be a string or an array of strings, not ${show(given)}`);
    else words = args !== undefined || this.#origin === IN_CODE ? [given] : this.#words(given);
    const program = words[0] ?? "";
    if (program.trim() === "") this.fail("command", "is empty; name the program to run");
    return {
      command: this.#program(program),
      args: [...words.slice(1), ...(args ?? [])],
      ...defined({ cwd: this.#folder() }),
    };
  }

  settings(): Partial<ExtensionManifest> {
    const restart = this.get("restart");
    if (restart !== undefined && restart !== "always" && typeof restart !== "boolean") {
      this.fail("restart", `must be true, false or "always", not ${show(restart)}`);
    }
    return defined({
      env: this.#env(),
      passEnv: this.#texts("passEnv"),
      timeoutMs: this.#milliseconds("timeoutMs"),
      startTimeoutMs: this.#milliseconds("startTimeoutMs"),
      shutdownTimeoutMs: this.#milliseconds("shutdownTimeoutMs"),
      restart,
    });
  }

  #words(command: string): string[] {
    try {
      return tokenize(command);
    } catch (error) {
      if (!(error instanceof CommandLineError)) throw error;
      return this.fail("command", `can't be split into words: ${error.message}`);
    }
  }

  /** A program that is a relative path is relative to the manifest, wherever the process then works. */
  #program(program: string): string {
    return /[\\/]/.test(program) ? under(this.#origin.folder, program) : program;
  }

  #folder(): string | undefined {
    const cwd = this.get("cwd");
    if (cwd !== undefined && (typeof cwd !== "string" || cwd === ""))
      this.fail("cwd", `must be the path of a folder, not ${show(cwd)}`);
    return cwd === undefined ? this.#origin.folder || undefined : under(this.#origin.folder, cwd);
  }

  #env(): Record<string, string | undefined> | undefined {
    if (!this.has("env")) return undefined;
    const reader = this.inner("env", "an object of names and values");
    const env: Record<string, string | undefined> = Object.create(null);
    for (const [name, value] of Object.entries(reader.#value)) {
      if (name === "" || name.includes("=") || name.includes("\0")) reader.fail(name, "is not a valid variable name");
      if (name.startsWith("MX_EXTENSION_")) reader.fail(name, "is set by the host itself");
      if (typeof value === "number" || typeof value === "boolean") env[name] = String(value);
      else if (value === null || value === undefined) env[name] = undefined;
      else if (typeof value === "string" && !value.includes("\0")) env[name] = value;
      else reader.fail(name, `must be a string, or null to remove the variable, not ${show(value)}`);
    }
    return env;
  }

  #texts(field: string): readonly string[] | undefined {
    const value = this.get(field);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) this.fail(field, `must be an array of strings, not ${show(value)}`);
    value.forEach((entry: unknown, i) => {
      if (typeof entry !== "string" || entry.includes("\0"))
        throw badManifest(this.#origin, [...this.#path, field, i], `must be a string, not ${show(entry)}`);
    });
    return [...value];
  }

  #milliseconds(field: string): number | undefined {
    const value = this.get(field);
    if (value === undefined) return undefined;
    if (typeof value === "number" && value >= 1 && value <= LONGEST_MS) return value;
    return this.fail(field, `must be a number of milliseconds from 1 to ${LONGEST_MS}, not ${show(value)}`);
  }
}

export function badManifest(origin: Origin, path: Path, why: string): ExtensionError {
  const field = path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");
  return new ExtensionError("bad-manifest", `${origin.at(path)}: ${field ? `${field} ` : ""}${why}`);
}

export function record(value: unknown, origin: Origin, path: Path, what: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw badManifest(origin, path, `must be ${what}, not ${show(value)}`);
}

function under(folder: string, path: string): string {
  if (folder === "" || /^([\\/]|[A-Za-z]:[\\/])/.test(path)) return path;
  return `${folder.replace(/[\\/]$/, "")}/${path.replace(/^\.[\\/]/, "")}`;
}

function show(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return shortened(typeof value === "string" ? JSON.stringify(value) : String(value), 60);
}
