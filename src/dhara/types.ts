/** What the Dhara protocol carries: tools, their results, and the four kinds of content (D-07, D-08, D-14 to D-17). */

/** The version of the protocol that the document describes (D-06). */
export const DHARA_VERSION = "0.1.0";

/** A JSON Schema as plain JSON, draft-07 or 2020-12. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  /** A Standard Schema is taken as such, not as plain JSON. */
  readonly "~standard"?: never;
}

/** A tool as the extension lists it (D-07). */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** The answer to `initialize` (D-07). */
export interface InitializeResult {
  readonly name: string;
  /** The extension's own version; empty when it gave none. */
  readonly version: string;
  readonly tools: readonly ToolInfo[];
}

/** Plain text (D-14). */
export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

/** An image inline, `data` in base64 (D-15). */
export interface ImageDataContent {
  readonly type: "image";
  readonly mimeType: string;
  readonly data: string;
}

/** An image as a file that the host can read (D-16). */
export interface ImagePathContent {
  readonly type: "image";
  readonly path: string;
  readonly mimeType?: string | undefined;
}

/** Any file that the host can read; `size` in bytes (D-17). */
export interface FileContent {
  readonly type: "file";
  readonly path: string;
  readonly size: number;
  readonly mimeType: string;
}

/** One piece of a tool's result (D-14 to D-17). */
export type Content = TextContent | ImageDataContent | ImagePathContent | FileContent;

/** The answer to `tools/execute` (D-08). If `isError` is true, the tool failed and `content` says why. */
export interface ToolResult {
  readonly content: readonly Content[];
  readonly isError: boolean;
}

/** The name of a call for progress and cancelling, unique among the calls in flight. */
export type ToolCallId = string | number;
