/** Makes content, and reads what somebody else made (D-08, D-14 to D-17). */
import { checkBytes } from "../../codec/check_bytes.ts";
import { excerpt } from "../rpc/excerpt.ts";
import { kindOf } from "../rpc/kind_of.ts";
import { isObject } from "../rpc/message.ts";
import { toBase64 } from "./base64.ts";
import type { Content, FileContent, ImageDataContent, ImagePathContent, TextContent, ToolResult } from "./types.ts";

/**
 * Plain text (D-14).
 *
 * @example
 * ```ts
 * import { text } from "extwire";
 * console.log(text("Hello")); // { type: "text", text: "Hello" }
 * ```
 */
export function text(text: string): TextContent {
  return { type: "text", text };
}

/**
 * An image: inline as base64 in `data` or as `bytes` (D-15), or as the `path` of a file that the host can read (D-16).
 *
 * @example
 * ```ts
 * import { image } from "extwire";
 * console.log(image({ bytes: new Uint8Array([1, 2, 3]), mimeType: "image/png" })); // { type: "image", mimeType: "image/png", data: "AQID" }
 * console.log(image({ path: "/tmp/screenshot.png" })); // { type: "image", path: "/tmp/screenshot.png" }
 * ```
 */
export function image(from: { readonly data: string; readonly mimeType: string }): ImageDataContent;
export function image(from: { readonly bytes: Uint8Array; readonly mimeType: string }): ImageDataContent;
export function image(from: { readonly path: string; readonly mimeType?: string | undefined }): ImagePathContent;
export function image(from: {
  readonly data?: string;
  readonly bytes?: Uint8Array;
  readonly path?: string;
  readonly mimeType?: string | undefined;
}): Content {
  const { data, bytes, path, mimeType } = from;
  if (path !== undefined) return mimeType === undefined ? { type: "image", path } : { type: "image", path, mimeType };
  if (bytes !== undefined) checkBytes(bytes, "the data of an image");
  return {
    type: "image",
    mimeType: mimeType as string,
    data: bytes === undefined ? (data as string) : toBase64(bytes),
  };
}

/**
 * A file that the host can read; `size` in bytes (D-17).
 *
 * @example
 * ```ts
 * import { file } from "extwire";
 * console.log(file({ path: "/tmp/output.csv", size: 12345, mimeType: "text/csv" }).type); // file
 * ```
 */
export function file(from: { readonly path: string; readonly size: number; readonly mimeType: string }): FileContent {
  return { type: "file", path: from.path, size: from.size, mimeType: from.mimeType };
}

/**
 * The result of a tool that failed, with a message that the caller should read: `isError` is true (D-08).
 *
 * @example
 * ```ts
 * import { failure } from "extwire";
 * console.log(failure("the page needs a login").isError); // true
 * ```
 */
export function failure(message: string): ToolResult {
  return { content: [text(message)], isError: true };
}

/**
 * `value` as a ToolResult. Without `isError` it is a success.
 * Throws a TypeError that says what is wrong and where, as in `content[0].text must be a string`.
 */
export function readToolResult(value: unknown): ToolResult {
  if (!isObject(value)) throw new TypeError(`a tool result must be an object, not ${kindOf(value)}`);
  const { content, isError } = value;
  if (!Array.isArray(content)) throw new TypeError(`content must be an array, not ${kindOf(content)}`);
  for (let i = 0; i < content.length; i++) checkContent(content[i], i);
  if (isError === undefined || typeof isError === "boolean") {
    return { content: content as readonly Content[], isError: isError === true };
  }
  throw new TypeError(`isError must be a boolean, not ${kindOf(isError)}`);
}

/** What a handler returned as a ToolResult: text, one content, several, or a whole result. Throws as `readToolResult` does. */
export function toToolResult(value: unknown): ToolResult {
  if (typeof value === "string") return { content: [text(value)], isError: false };
  if (Array.isArray(value))
    return readToolResult({ content: value.map((each) => (typeof each === "string" ? text(each) : each)) });
  const { content, isError, type } = Object(value) as Record<string, unknown>;
  if (content !== undefined || isError !== undefined) return readToolResult(value);
  if (type === undefined) throw new TypeError(`${kindOfReturned(value)}; return ${RETURNED}`);
  return readToolResult({ content: [value] });
}

const RETURNED = "a string, text(…), image(…), file(…), an array of these or failure(…)";

/** `a Date`, where it is more than an object. */
function kindOfReturned(value: unknown): string {
  if (!isObject(value)) return kindOf(value);
  const made = (value.constructor as { name?: unknown } | undefined)?.name;
  if (typeof made !== "string" || made === "" || made === "Object") return "an object without content";
  return `${/^[AEIO]/.test(made) ? "an" : "a"} ${made}`;
}

function checkContent(value: unknown, index: number): void {
  const isPlain = isObject(value) && !(value instanceof Promise);
  const fault = isPlain ? contentFault(value) : ` must be an object, not ${kindOf(value)}`;
  if (fault !== undefined) throw new TypeError(`content[${index}]${fault}`);
}

function contentFault(content: Record<string, unknown>): string | undefined {
  switch (content["type"]) {
    case "text":
      return stringFault(content, "text");
    case "image":
      // One of the two forms; a path needs no type, the host can look.
      if (typeof content["path"] === "string") return undefined;
      return stringFault(content, "data") ?? stringFault(content, "mimeType");
    case "file":
      if (!Number.isFinite(content["size"])) return `.size must be a number of bytes, not ${kindOf(content["size"])}`;
      return stringFault(content, "path") ?? stringFault(content, "mimeType");
    default:
      return `.type must be "text", "image" or "file", not ${nameOf(content["type"])}`;
  }
}

function stringFault(content: Record<string, unknown>, field: string): string | undefined {
  const value = content[field];
  return typeof value === "string" ? undefined : `.${field} must be a string, not ${kindOf(value)}`;
}

function nameOf(type: unknown): string {
  return typeof type === "string" ? excerpt(type, 60) : kindOf(type);
}
