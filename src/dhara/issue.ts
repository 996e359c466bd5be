/** Says in one sentence what is wrong with an input, and with which parameter (D-11). */
import type { kindOf } from "../rpc/kind_of.ts";
import type { join, valueAt } from "./path.ts";
import type { nearest } from "./suggest.ts";

/** What it needs that others need too; handed in by whoever loads the validator, see there. */
export interface Words {
  readonly join: typeof join;
  readonly kindOf: typeof kindOf;
  readonly nearest: typeof nearest;
  readonly valueAt: typeof valueAt;
}

/** What a validator found, in the words that JSON Schema validators share. */
export interface Issue {
  readonly keyword: string;
  readonly schemaPath: string;
  /** From the input to the part that is meant. */
  readonly path: readonly string[];
  readonly params: object;
}

/** The most telling of `issues`, as in `Missing required parameter 'url'`. `noun` is what a part of `input` is called. */
export function describeIssue(
  { join, kindOf, nearest, valueAt }: Words,
  issues: readonly Issue[],
  schema: object,
  input: unknown,
  noun = "Parameter",
): string {
  // What one branch of an alternative misses says little; the alternative itself stands behind its branches.
  const outside = issues.filter(({ schemaPath }) => !/\/(?:anyOf|oneOf|not|if)(?:\/|$)/.test(schemaPath));
  const plain = (outside.length > 0 ? outside : issues).filter(({ keyword }) => keyword !== "boolean");
  const issue = plain.find(({ keyword }) => keyword === "required") ?? plain[0] ?? issues[0];
  if (issue === undefined) return "Input does not match the schema";
  const params = issue.params as Record<string, unknown>;
  const { path } = issue;
  const named = path.length === 0 ? "Input" : `${noun} '${join(path)}'`;
  switch (issue.keyword) {
    case "anyOf": {
      // Only where no branch says more than what the value itself must be.
      const branches = issues.filter(({ schemaPath }) => schemaPath.startsWith(`${issue.schemaPath}/`));
      const wanted = branches.map((branch) => (branch.path.length === path.length ? wantedBy(branch) : undefined));
      if (wanted.length === 0 || wanted.includes(undefined)) return `${named} ${demand(issue)}`;
      return `${named} must be ${[...new Set(wanted)].join(" or ")}`;
    }
    case "required":
      return `Missing required ${noun.toLowerCase()} '${join([...path, first(params["requiredProperties"])])}'`;
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = first(params[issue.keyword]);
      const meant = path.length === 0 ? nearest(name, propertiesOf(schema)) : undefined;
      const hint = meant === undefined ? "" : `. Did you mean '${meant}'?`;
      return `Unknown ${noun.toLowerCase()} '${join([...path, name])}'${hint}`;
    }
    case "type":
      return `${named} must be ${wantedBy(issue)}, not ${kindOf(valueAt(input, path))}`;
    default: {
      const wanted = wantedBy(issue);
      return `${named} ${wanted === undefined ? demand(issue) : `must be ${wanted}`}`;
    }
  }
}

const DEMANDS: Readonly<Record<string, string>> = {
  anyOf: "must match a schema in anyOf",
  oneOf: "must match exactly one schema in oneOf",
  not: "must not match the schema in not",
  boolean: "is not allowed",
  contains: "must contain the right number of valid items",
  uniqueItems: "must not have the same item twice",
  unevaluatedItems: "must not have further items",
};

/** What is asked of a value that does not keep to it. */
function demand({ keyword, params }: Issue): string {
  const { comparison, dependencies, limit, property, propertyNames, failingKeyword, multipleOf, ...rest } = params as {
    readonly [name: string]: string | number | undefined;
  };
  if (comparison !== undefined) return `must be ${comparison} ${limit}`;
  const [, most, what] = /^(max|min)(Items|Length|Properties)$/.exec(keyword) ?? [];
  if (what !== undefined) {
    const things = what === "Length" ? "characters" : what.toLowerCase();
    return `must have at ${most === "max" ? "most" : "least"} ${limit} ${things}`;
  }
  if (dependencies !== undefined)
    return `must also have ${list(dependencies)} when ${JSON.stringify(property)} is present`;
  if (propertyNames !== undefined) return `must not have properties named ${list(propertyNames)}`;
  if (failingKeyword !== undefined) return `must match the schema in ${failingKeyword}`;
  if (multipleOf !== undefined) return `must be a multiple of ${multipleOf}`;
  // As `format` and `pattern`, whose operand stands in the member of their name.
  return DEMANDS[keyword] ?? `must match ${keyword} ${JSON.stringify(rest[keyword])}`;
}

/** What there must be instead, where that is all that an issue says. */
function wantedBy({ keyword, params }: Issue): string | undefined {
  const { type, allowedValues, allowedValue } = params as Record<string, unknown>;
  if (keyword === "type") return types(type);
  if (keyword === "enum") return `one of ${list(allowedValues)}`;
  return keyword === "const" ? JSON.stringify(allowedValue) : undefined;
}

function first(names: unknown): string {
  return Array.isArray(names) ? String(names[0]) : "";
}

function propertiesOf(schema: object): string[] {
  const { properties } = schema as { properties?: object };
  return typeof properties === "object" ? Object.keys(properties) : [];
}

function types(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]).map((name) =>
    name === "null" ? "null" : `${/^[aio]/.test(String(name)) ? "an" : "a"} ${String(name)}`,
  );
  return names.join(" or ");
}

function list(values: unknown): string {
  const shown = (Array.isArray(values) ? values : []).slice(0, 20).map((value) => JSON.stringify(value));
  return shown.join(", ");
}
