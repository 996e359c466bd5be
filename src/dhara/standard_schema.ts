/** The part of the Standard Schema and Standard JSON Schema interfaces that tools use: zod, valibot, arktype (standardschema.dev). */
import { kindOf } from "../rpc/kind_of.ts";
import { join, valueAt } from "./path.ts";

/** A schema of zod, valibot, arktype or another library that can convert it to JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: "draft-2020-12" | "draft-07" }) => Record<string, unknown>;
    };
  };
}

/** What a schema library makes of an input: a value, perhaps with defaults filled in, or what is wrong. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type StandardValidate = (input: unknown) => StandardResult | Promise<StandardResult>;

/** The schema as JSON Schema. Throws an Error that says what to do when the library can't give it. */
export function standardToJson(schema: StandardSchema): Record<string, unknown> {
  const { vendor, jsonSchema } = schema["~standard"];
  if (typeof jsonSchema?.input !== "function") {
    const help = vendor === "valibot" ? ": wrap it with toStandardJsonSchema of @valibot/to-json-schema" : "";
    throw new Error(`a ${vendor} schema of this kind cannot be converted to JSON Schema${help}`);
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch {
    return jsonSchema.input({ target: "draft-07" });
  }
}

/** Says in one sentence what a schema library found wrong with `input` (D-11). */
export function describeStandardIssue(issue: StandardIssue | undefined, input: unknown): string {
  const path = (issue?.path ?? []).map((part) => (typeof part === "object" ? part.key : part));
  const name = join(path);
  if (name !== "" && valueAt(input, path) === undefined) return `Missing required parameter '${name}'`;
  const message = issue?.message ?? `${kindOf(input)} does not match the schema`;
  return name === "" ? `Input: ${message}` : `Parameter '${name}': ${message}`;
}
