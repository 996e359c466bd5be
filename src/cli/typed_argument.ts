/** `--arg key=value`: text becomes the JSON value that the tool's inputSchema asks for. */
import { valueAt } from "../dhara/path.ts";
import { pointerSteps } from "../dhara/pointer.ts";
import { nearest } from "../dhara/suggest.ts";
import { isObject } from "../rpc/message.ts";
import { UsageError } from "./errors.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A schema that refers to itself is followed this far. */
const MAX_DEPTH = 16;

/**
 * Adds each `key=value` to a copy of `base`. `a.b=1` reaches into an object, a repeated key fills an array,
 * a bare `key` is true. Throws a UsageError that names the argument and what it takes.
 */
export function applyArguments(
  base: Readonly<Record<string, unknown>>,
  texts: readonly string[],
  inputSchema: unknown,
): Record<string, unknown> {
  const input = structuredClone(base) as Record<string, unknown>;
  const root = isObject(inputSchema) ? inputSchema : {};
  const given = new Set<string>();
  for (const text of texts) {
    const equals = text.indexOf("=");
    const key = equals === -1 ? text : text.slice(0, equals);
    const value = equals === -1 ? undefined : text.slice(equals + 1);
    if (key === "") throw new UsageError(`--arg ${text}: write key=value`);
    setArgument(input, key, value, root, given);
  }
  return input;
}

function setArgument(
  input: Record<string, unknown>,
  key: string,
  text: string | undefined,
  root: Schema,
  given: Set<string>,
): void {
  let target = input;
  let schemas = alternatives(root, root);
  const path = property(schemas, key, root) === undefined && key.includes(".") ? key.split(".") : [key];
  for (const name of path.slice(0, -1)) {
    schemas = step(schemas, name, key, root);
    if (!isObject(own(target, name))) set(target, name, {});
    target = own(target, name) as Record<string, unknown>;
  }
  const name = path.at(-1) ?? key;
  schemas = step(schemas, name, key, root);
  const repeated = given.has(key);
  given.add(key);
  const before = own(target, name);
  const value = typed(schemas, text, key, root);
  if (!repeated) set(target, name, value);
  else if (Array.isArray(before)) before.push(...(Array.isArray(value) ? value : [value]));
  else throw new UsageError(`--arg ${key} is given twice, but the parameter is not an array`);
}

/** The schemas of `name` inside `schemas`. A name that the schema rules out is refused here, where a better one can be told. */
function step(schemas: readonly Schema[], name: string, key: string, root: Schema): readonly Schema[] {
  const found = property(schemas, name, root);
  if (found !== undefined) return found;
  const names = schemas.flatMap((schema) => Object.keys(isObject(schema["properties"]) ? schema["properties"] : {}));
  if (names.length > 0 && schemas.every((schema) => schema["additionalProperties"] === false)) {
    const meant = nearest(name, names);
    throw new UsageError(
      `--arg ${key}: the tool has no parameter "${name}"${meant ? `; did you mean "${meant}"?` : `; it has ${names.join(", ")}`}`,
    );
  }
  return schemas.flatMap((schema) => alternatives(schema["additionalProperties"], root));
}

function property(schemas: readonly Schema[], name: string, root: Schema): readonly Schema[] | undefined {
  const found = schemas.flatMap(({ properties }) =>
    isObject(properties) ? alternatives(own(properties, name), root) : [],
  );
  return found.length > 0 ? found : undefined;
}

/** `schema` as a flat list of what a value may be, references and anyOf, oneOf, allOf resolved. */
function alternatives(schema: unknown, root: Schema, depth = 0): readonly Schema[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const reference = schema["$ref"];
  const referred = typeof reference === "string" ? alternatives(resolve(reference, root), root, depth + 1) : [];
  const nested = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list.flatMap((item) => alternatives(item, root, depth + 1)) : [];
  });
  const inner = [...referred, ...nested];
  const says = ["type", "enum", "const", "properties", "items"].some((keyword) => keyword in schema);
  return inner.length === 0 || says ? [schema, ...inner] : inner;
}

/** A JSON pointer inside the same schema. Others are somebody else's documents: not fetched. */
function resolve(reference: string, root: Schema): unknown {
  return reference.startsWith("#") ? valueAt(root, pointerSteps(reference)) : undefined;
}

function typed(schemas: readonly Schema[], text: string | undefined, key: string, root: Schema): unknown {
  const types = new Set(schemas.flatMap(typesOf));
  if (text === undefined) {
    if (types.size === 0 || types.has("boolean")) return true;
    throw new UsageError(`--arg ${key} has no value; write ${key}=…`);
  }
  for (const schema of schemas) {
    for (const value of choices(schema)) {
      if ((typeof value === "string" ? value : JSON.stringify(value)) === text) return value;
    }
  }
  if (types.has("string")) return text;
  if (types.size === 0) return literal(text);
  const parsed = parsedJson(text);
  if (types.has("number") || types.has("integer")) {
    const number = numeric(text);
    if (number !== undefined) return number;
  }
  if (types.has("boolean") && typeof parsed === "boolean") return parsed;
  if (types.has("null") && parsed === null) return null;
  if (types.has("object") && isObject(parsed)) return parsed;
  if (types.has("array")) {
    if (Array.isArray(parsed)) return parsed;
    return [
      typed(
        schemas.flatMap((schema) => alternatives(schema["items"], root)),
        text,
        key,
        root,
      ),
    ];
  }
  const list = [...types].map((type) => NAMES[type] ?? type);
  throw new UsageError(`--arg ${key} takes ${list.join(" or ")}, not "${text}"`);
}

const NAMES: Readonly<Record<string, string>> = {
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  null: "null",
  object: "an object as JSON",
  array: "an array as JSON",
};

function typesOf(schema: Schema): string[] {
  const type = schema["type"];
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((item) => typeof item === "string");
  return choices(schema).map((value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value));
}

function choices(schema: Schema): readonly unknown[] {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : [];
}

/** Without a schema: what looks like JSON is JSON, everything else is a string. */
function literal(text: string): unknown {
  const number = numeric(text);
  if (number !== undefined) return number;
  const parsed = parsedJson(text);
  return parsed === undefined || typeof parsed === "string" || typeof parsed === "number" ? text : parsed;
}

/** A number as JSON writes it that doubles hold: the digits of a long id must not change on the way. */
function numeric(text: string): number | undefined {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? undefined : number;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** A key such as `__proto__` is data here. */
function set(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
