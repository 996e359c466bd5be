/** Makes an inputSchema of any kind into JSON and a check. The only way to the JSON Schema validator. */
import { depthFault } from "../rpc/depth.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { kindOf } from "../rpc/kind_of.ts";
import { DEFAULT_LIMITS } from "../rpc/limits.ts";
import { isObject, jsonFault } from "../rpc/message.ts";
import { join, valueAt } from "./path.ts";
import { type QuickCheck, quickCheck } from "./quick_check.ts";
import {
  describeStandardIssue,
  type StandardSchema,
  type StandardValidate,
  standardToJson,
} from "./standard_schema.ts";
import { nearest } from "./suggest.ts";
import type { JsonSchema } from "./types.ts";
import type { Validator } from "./validator.ts";

/** Plain JSON Schema, or a Standard Schema that can produce one. */
export type InputSchema = PlainSchema | StandardSchema;

/**
 * Any object, so that an interface of a schema library fits too, but none that claims to be a Standard Schema. That it may have
 * any keyword makes the compiler blame what is wrong beside a schema, not the schema.
 */
type PlainSchema = (object | { readonly [keyword: string]: unknown }) & { readonly "~standard"?: never };

/** Undefined: the input fits as it is. Else what is wrong with it, or the input as the schema's library made it. */
export type Verdict = { readonly issue: string } | { readonly issue?: undefined; readonly value: unknown } | undefined;

const WORDS = { join, kindOf, nearest, valueAt };

export class CompiledSchema {
  readonly json: JsonSchema;
  readonly #where: string;
  readonly #quick: QuickCheck | undefined;
  readonly #standard: StandardValidate | undefined;
  #validator: Validator | undefined;
  #loading: Promise<Validator> | undefined;

  /** Use `compileSchema`. */
  constructor(json: JsonSchema, where: string, standard: StandardValidate | undefined) {
    this.json = json;
    this.#where = where;
    this.#standard = standard;
    this.#quick = standard ? undefined : quickCheck(json);
  }

  /** Undefined when `check` can start at once; else it rejects with `bad-schema` for what is no schema. */
  prepare(): Promise<unknown> | undefined {
    return this.#quick || this.#standard || this.#validator ? undefined : this.#load();
  }

  /** At once for what plainly fits. Rejects with an ExtensionError `bad-schema` where `prepare` would. */
  check(input: unknown): Verdict | Promise<Verdict> {
    if (this.#quick?.(input) === true) return undefined;
    if (this.#standard) return this.#checkStandard(this.#standard, input);
    if (this.#validator) return verdict(this.#validator(input));
    return this.#load().then((validator) => verdict(validator(input)));
  }

  #load(): Promise<Validator> {
    // The validator is large and most programs never need it: it is loaded for the first input or schema that does.
    this.#loading ??= import("./validator.ts").then(({ schemaFault, validator }) => {
      // The quick check knows every keyword of the schemas that it takes.
      const fault = this.#quick ? undefined : schemaFault(this.json, WORDS);
      if (fault !== undefined) throw unusable(this.#where, fault);
      this.#validator = validator(this.json, WORDS);
      return this.#validator;
    });
    return this.#loading;
  }

  #checkStandard(validate: StandardValidate, input: unknown): Verdict | Promise<Verdict> {
    const read = (result: Awaited<ReturnType<StandardValidate>>): Verdict =>
      result.issues ? { issue: describeStandardIssue(result.issues[0], input) } : { value: result.value };
    const result = validate(input);
    return result instanceof Promise ? result.then(read) : read(result);
  }
}

function verdict(issue: string | undefined): Verdict {
  return issue === undefined ? undefined : { issue };
}

/**
 * Takes a private copy of `schema` as JSON. `where` begins every error message, as in `tool 'fetch_url'`.
 * Throws an ExtensionError `bad-schema` for what is no JSON, nests too deeply, or is a Standard Schema without JSON Schema.
 */
export function compileSchema(schema: unknown, where: string): CompiledSchema {
  let text: string | undefined;
  let validate: StandardValidate | undefined;
  try {
    if (isStandard(schema)) validate = (schema["~standard"] as { validate?: StandardValidate }).validate;
    text = JSON.stringify(isStandard(schema) ? standardToJson(schema) : schema);
  } catch (cause) {
    throw unusable(where, jsonFault(cause));
  }
  // As deep as a message that lists it may be.
  const fault = text === undefined ? undefined : depthFault(text, DEFAULT_LIMITS.maxDepth);
  if (fault !== undefined) throw unusable(where, fault);
  const json: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isObject(json)) throw unusable(where, `it must be an object, not ${kindOf(json)}`);
  return new CompiledSchema(json, where, validate);
}

/** Without its cause, whose words it has: the stack of a schema library would hide them where only the last lines are shown. */
function unusable(where: string, why: string): ExtensionError {
  return new ExtensionError("bad-schema", `${where}: the inputSchema is not usable: ${why}`);
}

function isStandard(schema: unknown): schema is StandardSchema {
  // Some libraries' schemas are functions.
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;
}
