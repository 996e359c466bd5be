/** The schemas of schemas that a check needs, without what only readers need: those that are published are five times as large. */

const SCHEMA = { $ref: "#" };
const SCHEMAS = { type: "array", minItems: 1, items: SCHEMA };
const NAMED_SCHEMAS = { type: "object", additionalProperties: SCHEMA };
const TEXT = { type: "string" };
const NAMES = { type: "array", items: TEXT, uniqueItems: true };
const REFERENCE = { type: "string", format: "uri-reference" };
const COUNT = { type: "integer", minimum: 0 };
const FLAG = { type: "boolean" };
const TYPE = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };

type Operands = readonly (readonly [keywords: string, operand: object])[];

/** What may stand behind keywords, which are written as one text for each. */
const COMMON: Operands = [
  ["$schema", { type: "string", format: "uri" }],
  ["$ref", REFERENCE],
  ["$comment title description format contentEncoding contentMediaType", TEXT],
  ["definitions properties", NAMED_SCHEMAS],
  ["patternProperties", { ...NAMED_SCHEMAS, propertyNames: { format: "regex" } }],
  ["additionalProperties propertyNames contains not if then else", SCHEMA],
  ["allOf anyOf oneOf", SCHEMAS],
  ["dependencies", { type: "object", additionalProperties: { anyOf: [SCHEMA, NAMES] } }],
  ["type", { anyOf: [TYPE, { type: "array", items: TYPE, minItems: 1, uniqueItems: true }] }],
  ["enum examples", { type: "array" }],
  ["pattern", { type: "string", format: "regex" }],
  ["required", NAMES],
  ["multipleOf", { type: "number", exclusiveMinimum: 0 }],
  ["maximum exclusiveMaximum minimum exclusiveMinimum", { type: "number" }],
  ["maxLength minLength maxItems minItems maxProperties minProperties", COUNT],
  ["uniqueItems readOnly writeOnly", FLAG],
  ["const default", {}],
];

/** Until 2020-12 `items` could be an array of schemas, a tuple, and an id could be what is an anchor since. */
const OLDER: Operands = [
  ["$id", REFERENCE],
  ["items", { anyOf: [SCHEMA, SCHEMAS] }],
  ["additionalItems", SCHEMA],
];

const NEWER: Operands = [
  ["$id", { ...REFERENCE, pattern: "^[^#]*#?$" }],
  ["$dynamicRef $recursiveRef", REFERENCE],
  ["$anchor $dynamicAnchor $recursiveAnchor", { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" }],
  ["$defs dependentSchemas", NAMED_SCHEMAS],
  ["items contentSchema unevaluatedItems unevaluatedProperties", SCHEMA],
  ["prefixItems", SCHEMAS],
  ["dependentRequired", { type: "object", additionalProperties: NAMES }],
  ["maxContains minContains", COUNT],
  ["deprecated", FLAG],
];

/** For error messages. */
export const KNOWN_DIALECTS = "draft-04, draft-06, draft-07, 2019-09 and 2020-12";

const DIALECT = /^https?:\/\/json-schema\.org\/draft(?:-0[467]|\/2019-09|\/2020-12)\/schema#?$/;

export interface Metaschema {
  readonly type: readonly string[];
  /** What may stand behind each keyword. */
  readonly properties: Readonly<Record<string, object>>;
}

/** For what `$schema` names, of which a schema must fit one; for none named all, and none for an unknown one. */
export function metaschemasFor(named: unknown): Metaschema[] {
  if (named === undefined) return [metaschema(NEWER), metaschema(OLDER)];
  return typeof named === "string" && DIALECT.test(named)
    ? [metaschema(named.includes("2020-12") ? NEWER : OLDER)]
    : [];
}

function metaschema(operands: Operands): Metaschema {
  const properties: Record<string, object> = {};
  for (const [keywords, operand] of [...COMMON, ...operands]) {
    for (const keyword of keywords.split(" ")) properties[keyword] = operand;
  }
  return { type: ["object", "boolean"], properties };
}
