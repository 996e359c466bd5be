/** JSON with comments and trailing commas, as a value with positions. */

import type { Node, ParseError } from "jsonc-parser";
import * as jsoncNamespace from "jsonc-parser";
import { type ParsedFile, positionAt, SyntaxFault } from "./parsed_file.ts";

/** The package is CommonJS to Node, which then sees a default export only, and a module to bundlers, which see no default. */
type JsoncParser = Pick<typeof jsoncNamespace, "parseTree" | "findNodeAtLocation">;
const jsonc: JsoncParser = Reflect.get(jsoncNamespace, "default") ?? jsoncNamespace;

/** By jsonc-parser's numbers; its names for them exist at compile time only. */
const FAULTS: Readonly<Record<number, string>> = {
  1: "this is not a JSON value (strings need double quotes)",
  2: "this is not a valid number",
  3: "a field name in double quotes is missing here",
  4: "a value is missing here",
  5: "a colon is missing here",
  6: "a comma is missing here",
  7: "a closing brace } is missing here",
  8: "a closing bracket ] is missing here",
  9: "this comes after the end of the manifest",
  11: "this comment is never closed",
  12: "this string is never closed",
  14: "this is not a valid \\u escape",
  15: "this is not a valid escape",
  16: "this character must be escaped",
};

export function parseJson(text: string): ParsedFile {
  const errors: ParseError[] = [];
  const root = jsonc.parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  // It answers {} or a part for broken text: only the list of errors tells.
  const [error] = errors;
  if (error || root === undefined)
    throw new SyntaxFault(
      `is not JSON: ${FAULTS[error?.error ?? 0] ?? "this can't be read"}`,
      positionAt(text, error?.offset ?? 0),
    );
  const value = toValue(root, text);
  return {
    value,
    find(path) {
      for (let length = path.length; length >= 0; length--) {
        const node = jsonc.findNodeAtLocation(root, path.slice(0, length));
        if (node)
          return positionAt(
            text,
            (length > 0 && typeof path[length - 1] === "string" ? (node.parent ?? node) : node).offset,
          );
      }
      return undefined;
    },
  };
}

function toValue(node: Node, text: string): unknown {
  if (node.type === "array") return (node.children ?? []).map((child) => toValue(child, text));
  if (node.type !== "object") return node.value;
  const value: Record<string, unknown> = Object.create(null);
  for (const { children: [key, child] = [] } of node.children ?? []) {
    if (key === undefined || child === undefined) continue;
    if (Object.hasOwn(value, key.value))
      throw new SyntaxFault(`has the field ${key.value} twice`, positionAt(text, key.offset));
    value[key.value] = toValue(child, text);
  }
  return value;
}
