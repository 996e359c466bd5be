/** Accepts what plainly fits the common kinds of schema, some thirty times as fast as the interpreter, and decides nothing else. */
import { isObject } from "../rpc/message.ts";

/** True: `value` fits. False: it may not, and whoever knows all of JSON Schema has to say. */
export type QuickCheck = (value: unknown) => boolean;

/** Undefined: this keyword, or this use of it, is left to the interpreter. */
type Maker = (operand: unknown, schema: Readonly<Record<string, unknown>>) => QuickCheck | undefined;

const ANNOTATIONS = "title description default examples $comment deprecated readOnly writeOnly".split(" ");

/** As in metaschema.ts, which is loaded apart from this. */
const DIALECT = /^https?:\/\/json-schema\.org\/draft(?:-0[467]|\/2019-09|\/2020-12)\/schema#?$/;

const TYPES: ReadonlyMap<unknown, QuickCheck> = new Map<unknown, QuickCheck>([
  ["string", (value) => typeof value === "string"],
  // NaN and the infinities have no JSON form.
  ["number", Number.isFinite],
  ["integer", Number.isInteger],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", Array.isArray],
  ["object", isObject],
]);

/** Made for the first schema: a program without any carries none of this along, for a bundler leaves out what nobody calls. */
let makers: ReadonlyMap<string, Maker> | undefined;

const allMakers = () =>
  new Map<string, Maker>([
    ["type", (type) => (isList(type) ? any(type.map((each) => TYPES.get(each))) : TYPES.get(type))],
    ["enum", (values) => (isScalars(values) ? oneOf(new Set(values)) : undefined)],
    ["const", (value) => (isScalars([value]) ? (given) => given === value : undefined)],
    ["minimum", number((value, limit) => value >= limit)],
    ["maximum", number((value, limit) => value <= limit)],
    ["exclusiveMinimum", number((value, limit) => value > limit)],
    ["exclusiveMaximum", number((value, limit) => value < limit)],
    // Characters are counted by the interpreter; for ASCII there is nothing to count.
    ["minLength", count((value, limit) => typeof value !== "string" || (value.length >= limit && isAscii(value)))],
    ["maxLength", count((value, limit) => typeof value !== "string" || (value.length <= limit && isAscii(value)))],
    ["minItems", count((value, limit) => !Array.isArray(value) || value.length >= limit)],
    ["maxItems", count((value, limit) => !Array.isArray(value) || value.length <= limit)],
    ["pattern", pattern],
    // What is checked here means the same in each of these.
    ["$schema", (uri) => (DIALECT.test(String(uri)) ? () => true : undefined)],
    ["properties", properties],
    ["required", required],
    ["additionalProperties", additionalProperties],
    ["items", items],
    ["anyOf", (schemas) => (isList(schemas) ? any(schemas.map(quickCheck)) : undefined)],
    ["allOf", (schemas) => (isList(schemas) ? all(schemas.map(quickCheck)) : undefined)],
  ]);

/** A quick check for `schema`, or undefined when it uses anything that only the interpreter knows. */
export function quickCheck(schema: unknown): QuickCheck | undefined {
  if (schema === true) return () => true;
  if (!isObject(schema)) return undefined;
  makers ??= allMakers();
  const checks: (QuickCheck | undefined)[] = [];
  for (const keyword of Object.keys(schema)) {
    if (!ANNOTATIONS.includes(keyword)) checks.push(makers.get(keyword)?.(schema[keyword], schema));
  }
  return all(checks);
}

function properties(operand: unknown): QuickCheck | undefined {
  if (!isObject(operand)) return undefined;
  const keys = Object.keys(operand);
  const checks = complete(keys.map((key) => quickCheck(operand[key])));
  if (checks === undefined) return undefined;
  return (value) => {
    if (!isObject(value)) return true;
    for (let i = 0; i < keys.length; i++) {
      const member = value[keys[i]!];
      if (member !== undefined && !checks[i]!(member)) return false;
    }
    return true;
  };
}

function required(operand: unknown): QuickCheck | undefined {
  if (!Array.isArray(operand) || operand.some((key) => typeof key !== "string" || key in Object.prototype)) {
    return undefined;
  }
  const keys = operand as readonly string[];
  return (value) => {
    if (!isObject(value)) return true;
    for (const key of keys) if (value[key] === undefined) return false;
    return true;
  };
}

function additionalProperties(operand: unknown, schema: Readonly<Record<string, unknown>>): QuickCheck | undefined {
  const check = operand === false ? () => false : quickCheck(operand);
  if (check === undefined) return undefined;
  const known = new Set(isObject(schema["properties"]) ? Object.keys(schema["properties"]) : []);
  return (value) => {
    if (!isObject(value)) return true;
    for (const key in value) if (!known.has(key) && !check(value[key])) return false;
    return true;
  };
}

function items(operand: unknown): QuickCheck | undefined {
  const check = quickCheck(operand);
  return check && ((value) => !Array.isArray(value) || value.every(check));
}

function pattern(operand: unknown): QuickCheck | undefined {
  if (typeof operand !== "string") return undefined;
  try {
    const expression = new RegExp(operand, "u");
    return (value) => typeof value !== "string" || expression.test(value);
  } catch {
    return undefined;
  }
}

function number(fits: (value: number, limit: number) => boolean): Maker {
  return (limit) =>
    typeof limit === "number" ? (value) => typeof value !== "number" || fits(value, limit) : undefined;
}

function count(fits: (value: unknown, limit: number) => boolean): Maker {
  return (limit) =>
    Number.isSafeInteger(limit) && (limit as number) >= 0 ? (value) => fits(value, limit as number) : undefined;
}

function oneOf(values: ReadonlySet<unknown>): QuickCheck {
  return (value) => values.has(value);
}

function all(checks: readonly (QuickCheck | undefined)[]): QuickCheck | undefined {
  const known = complete(checks);
  if (known === undefined || known.length === 1) return known?.[0];
  return (value) => {
    for (const check of known) if (!check(value)) return false;
    return true;
  };
}

function any(checks: readonly (QuickCheck | undefined)[]): QuickCheck | undefined {
  const known = complete(checks);
  return known && ((value) => known.some((check) => check(value)));
}

function complete(checks: readonly (QuickCheck | undefined)[]): readonly QuickCheck[] | undefined {
  return checks.includes(undefined) ? undefined : (checks as readonly QuickCheck[]);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isScalars(value: unknown): value is readonly unknown[] {
  return isList(value) && value.every((each) => each === null || typeof each !== "object");
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
