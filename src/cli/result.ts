/** The answer of a tool: text to stdout, images shown or saved, files named. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Content, ToolResult } from "../dhara/types.ts";
import { imageBytes } from "./image_bytes.ts";
import type { Output } from "./output.ts";
import { showPicture } from "./picture.ts";
import { oneLine, printable } from "./printable.ts";
import { Saver } from "./saver.ts";

export interface ResultOptions {
  readonly tool: string;
  /** Where the extension works: its relative paths start there. */
  readonly folder: string;
  readonly saveTo: string | undefined;
}

/** Prints all of `result`; a failed one to stderr, because it is no output. */
export async function printResult(output: Output, result: ToolResult, options: ResultOptions): Promise<void> {
  output.progressDone();
  const saver = new Saver(options.saveTo, options.tool);
  if (options.saveTo === undefined) noteMissing(output, result, options);
  if (output.json) {
    const content = options.saveTo === undefined ? result.content : await saved(result.content, saver, options);
    return output.value({ ...result, content });
  }
  for (const content of result.content) await printContent(output, content, result.isError, saver, options);
}

/** A path is handed on as it is, so that a wrong one would be noticed by whoever opens it. */
function noteMissing(output: Output, { content }: ToolResult, { tool, folder }: ResultOptions): void {
  const mark = output.errStyle.yellow("!");
  for (const each of content) {
    const path = "path" in each ? resolve(folder, each.path) : undefined;
    if (path === undefined || existsSync(path)) continue;
    output.note(`${tool} ${mark} named the file ${JSON.stringify(path)}, which does not exist`);
  }
}

async function printContent(
  output: Output,
  content: Content,
  failed: boolean,
  saver: Saver,
  { tool, folder, saveTo }: ResultOptions,
): Promise<void> {
  /** The file that is left: the extension's own, or a copy of it. */
  const named = async (path: string) => {
    const own = resolve(folder, path);
    return saveTo === undefined ? own : saver.copy(own);
  };
  switch (content.type) {
    case "text": {
      const text = output.outIsTerminal || failed ? printable(content.text) : content.text;
      if (failed) output.note(`${output.errStyle.red(`${tool} failed:`)} ${text}`);
      else output.write(text.endsWith("\n") ? text : `${text}\n`);
      return;
    }
    case "image": {
      if ("path" in content) {
        const bytes = await read(resolve(folder, content.path));
        if (bytes !== undefined) showPicture(output, bytes);
        return namePath(output, await named(content.path), bytes === undefined ? "missing" : `${bytes.length} bytes`);
      }
      const bytes = imageBytes(content.data, tool);
      // One that was seen needs no file.
      if (showPicture(output, bytes) && saveTo === undefined) return;
      return namePath(output, await saver.write(bytes, content.mimeType), `${bytes.length} bytes`);
    }
    case "file":
      return namePath(output, await named(content.path), `${oneLine(content.mimeType)}, ${content.size} bytes`);
  }
}

/** The path alone on stdout, so that a script can take it; what it is on stderr of a terminal. */
function namePath(output: Output, path: string, what: string): void {
  if (output.outIsTerminal) output.line(`${printable(path)}  ${output.outStyle.dim(what)}`);
  else output.line(path);
}

function read(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(() => undefined);
}

async function saved(content: readonly Content[], saver: Saver, { folder, tool }: ResultOptions): Promise<unknown[]> {
  const list: unknown[] = [];
  for (const each of content) {
    if (each.type === "text") list.push(each);
    else if ("path" in each) list.push({ ...each, savedTo: await saver.copy(resolve(folder, each.path)) });
    else list.push({ ...each, savedTo: await saver.write(imageBytes(each.data, tool), each.mimeType) });
  }
  return list;
}
