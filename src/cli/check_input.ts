/** The input of a call against the tool's schema, before anything is sent: a mistake in it is one of usage. */
import { compileSchema } from "../dhara/schema.ts";
import type { ToolInfo } from "../dhara/types.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { shortened } from "../rpc/excerpt.ts";
import { UsageError } from "./errors.ts";
import { oneLine } from "./printable.ts";

/** Throws a UsageError that names the field and says why. */
export async function checkInput(tool: ToolInfo, input: unknown): Promise<void> {
  let issue: string | undefined;
  try {
    issue = (await compileSchema(tool.inputSchema, `tool '${tool.name}'`).check(input))?.issue;
  } catch (error) {
    // What no schema is the host judges; it can still tell the extension apart from the input.
    if (error instanceof ExtensionError && error.code === "bad-schema") return;
    throw error;
  }
  if (issue === undefined) return;
  throw new UsageError(`${tool.name}: ${issue}\n${parameterLines(tool).join("\n")}`.trimEnd());
}

/** What the tool takes, a line a parameter. */
function parameterLines({ inputSchema }: ToolInfo): string[] {
  const properties = Object.entries((inputSchema["properties"] as Record<string, unknown> | undefined) ?? {});
  const required = new Set(inputSchema["required"] as readonly string[] | undefined);
  return properties.map(([name, schema]) => {
    const { enum: choices, type = "any", description } = (schema ?? {}) as Record<string, unknown>;
    const kind = Array.isArray(choices)
      ? shortened(choices.map((choice) => JSON.stringify(choice)).join(" or "))
      : [type].flat().join(" or ");
    const what = typeof description === "string" ? `: ${description}` : "";
    return `  ${oneLine(`${name} (${kind}${required.has(name) ? "" : ", optional"})${what}`)}`;
  });
}
