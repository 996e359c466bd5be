/**
 * All of JSON Schema, draft-07 and 2020-12, interpreted: nothing is evaluated as code, so it works where code may not be made.
 *
 * It imports nothing that its importer has too: bundlers would put that in a file of its own, which everybody loads first.
 */
import { CheckContext, CheckSchema, ErrorContext, ErrorSchema, Stack } from "typebox/schema";
import { describeIssue, type Issue, type Words } from "./issue.ts";
import { KNOWN_DIALECTS, type Metaschema, metaschemasFor } from "./metaschema.ts";
import { pointerSteps } from "./pointer.ts";
import type { JsonSchema } from "./types.ts";

/** Undefined: the input fits. Else what is wrong with it, for the caller to read. */
export type Validator = (input: unknown) => string | undefined;

const OLDER = /\/draft-0[467]\//;
const BESIDE_REF = new Set(["$ref", "$schema", "$id", "definitions", "$defs"]);
/** Whose operands are no schemas. */
const VALUES = new Set(["const", "enum", "default", "examples"]);

/** What `json` has against being a schema, or undefined. */
export function schemaFault(json: JsonSchema, words: Words): string | undefined {
  return withinStack(() => dialectFault(json, words) ?? contentFault(json, words), "nested too deeply");
}

/** For a schema that is known to be one. */
export function validator(schema: JsonSchema, words: Words): Validator {
  const json = OLDER.test(String(schema["$schema"])) ? (refsAlone(schema) as JsonSchema) : schema;
  const stack = Stack({}, json);
  const bare = namesInherited(json);
  return (given) =>
    withinStack(() => {
      const input = bare ? withoutPrototypes(sentForm(given)) : given;
      if (CheckSchema(stack, new CheckContext(), json, input)) return undefined;
      const sent = bare ? input : sentForm(input);
      if (sent === undefined) return undefined;
      const issues = issuesOf(json, sent);
      return issues && describeIssue(words, issues, json, sent);
    }, "Input is nested too deeply to be checked");
}

/**
 * Until 2019-09 what stands beside a `$ref` is ignored; since then it counts, and so the interpreter takes it. What a
 * reference points to stays.
 */
function refsAlone(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(refsAlone);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema);
  const isRef = typeof (schema as { $ref?: unknown }).$ref === "string";
  const kept = isRef ? entries.filter(([keyword]) => BESIDE_REF.has(keyword)) : entries;
  return Object.fromEntries(
    kept.map(([keyword, operand]) => [keyword, VALUES.has(keyword) ? operand : refsAlone(operand)]),
  );
}

/** What there is against `input`, or undefined. */
function issuesOf(schema: object, input: unknown): Issue[] | undefined {
  const context = new ErrorContext();
  if (ErrorSchema(Stack({}, schema), context, "#", "", schema, input)) return undefined;
  return context.GetErrors().map((error) => ({ ...error, path: pointerSteps(error.instancePath) }));
}

/** What is sent is the JSON of an input: without members that are undefined, dates as text. Undefined: sending will say why not. */
function sentForm(input: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(input)) as unknown;
  } catch {
    return undefined;
  }
}

function withinStack<T>(work: () => T, otherwise: string): T | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

/** What the schema of schemas has against it. */
function dialectFault(json: JsonSchema, words: Words): string | undefined {
  const named = json["$schema"];
  const metaschemas = metaschemasFor(named);
  if (metaschemas.length === 0) return `$schema ${JSON.stringify(named)} is not supported: only ${KNOWN_DIALECTS} are`;
  let fault = keywordFault(json, metaschemas);
  if (fault !== undefined) return fault;
  for (const meta of metaschemas) {
    const issues = issuesOf(meta, json);
    if (issues === undefined) return undefined;
    fault ??= describeIssue(words, issues, meta, json, "Keyword");
  }
  return fault;
}

/** A schema of other words only would take any input: most often it is the properties alone. */
function keywordFault(json: JsonSchema, metaschemas: readonly Metaschema[]): string | undefined {
  const [word] = Object.keys(json);
  const keywords = metaschemas.flatMap(({ properties }) => Object.keys(properties));
  if (word === undefined || keywords.some((keyword) => keyword in json)) return undefined;
  return `it has no keyword of JSON Schema, only ${JSON.stringify(word)}: describe parameters as { type: "object", properties: { … } }`;
}

/** What the schema of schemas does not see: expressions that are none, and references that lead nowhere, for nothing is fetched. */
function contentFault(json: JsonSchema, { valueAt }: Words): string | undefined {
  const references = new Set<string>();
  const anchors = new Set<string>(["#"]);
  const patterns = new Set<string>();
  collect(json, references, anchors, patterns);
  for (const pattern of patterns) {
    try {
      new RegExp(pattern, "u");
    } catch (error) {
      return `the pattern ${JSON.stringify(pattern)} can't be used: ${(error as Error).message}`;
    }
  }
  for (const reference of references) {
    if (anchors.has(reference)) continue;
    if (reference.startsWith("#/") && valueAt(json, pointerSteps(reference)) !== undefined) continue;
    // Ids move the base of the references below them: the interpreter resolves those.
    if (anchors.has("$id")) continue;
    return `$ref ${JSON.stringify(reference)} cannot be resolved${reference.startsWith("#") ? "" : " (other documents are not loaded)"}`;
  }
  return undefined;
}

function collect(schema: unknown, references: Set<string>, anchors: Set<string>, patterns: Set<string>): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [keyword, operand] of Object.entries(schema)) {
    if (VALUES.has(keyword)) continue;
    if (keyword === "patternProperties") for (const key of Object.keys(operand as object)) patterns.add(key);
    if (typeof operand !== "string") collect(operand, references, anchors, patterns);
    else if (keyword === "pattern") patterns.add(operand);
    else if (keyword === "$ref") references.add(operand);
    else if (keyword === "$anchor" || keyword === "$dynamicAnchor") anchors.add(`#${operand}`);
    else if (keyword === "$id") anchors.add("$id");
  }
}

/** Whether `schema` speaks of a property that every object inherits, as `toString`: then nothing may be inherited. */
function namesInherited(schema: unknown): boolean {
  if (typeof schema === "string") return schema in Object.prototype;
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(([key, value]) => key in Object.prototype || namesInherited(value));
}

function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of Object.entries(value)) copy[key] = withoutPrototypes(member);
  return copy;
}
