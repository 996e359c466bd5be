/** The demo as a story for a person. */
import { readFile } from "node:fs/promises";
import type { Content, ToolInfo, ToolResult } from "../dhara/types.ts";
import type { HostEvent } from "../host/events.ts";
import type { DemoView } from "./demo_view.ts";
import { formatDuration } from "./duration.ts";
import { EventLines } from "./event_lines.ts";
import { imageBytes } from "./image_bytes.ts";
import type { Output } from "./output.ts";
import { showPicture } from "./picture.ts";
import { oneLine, printable } from "./printable.ts";
import { Saver } from "./saver.ts";
import { wrap } from "./text_width.ts";
import { toolTable } from "./tool_table.ts";

/** Of a page or a table this many lines are shown. */
const EXCERPT_LINES = 5;
const PICTURE = { columns: 56, rows: 14, indent: "  " } as const;

export class DemoText implements DemoView {
  readonly #output: Output;
  readonly #width: number;
  readonly #saver: Saver;
  #lines: EventLines;
  #isOver = false;

  constructor(output: Output, folder: string) {
    this.#output = output;
    this.#saver = new Saver(folder, "chart");
    this.#width = Math.min(output.outColumns, 96) - 4;
    this.#lines = new EventLines([], output.outStyle);
  }

  begin(ids: readonly string[]): void {
    this.#lines = new EventLines(ids, this.#output.outStyle);
    const { bold, dim } = this.#output.outStyle;
    this.#output.line(
      `${bold("extwire demo:")} ${dim("hosts this program's two example extensions, one per protocol")}`,
    );
    this.#heading("Starting");
  }

  event(event: HostEvent): void {
    // What an extension prints each second would tear the story apart, and a status that repeats tells nothing.
    if (event.type === "stdout" || event.type === "tools") return;
    if (event.type === "exit" && this.#isOver) return;
    const line = this.#lines.of(event);
    if (line !== undefined) this.#output.line(`  ${line}`);
  }

  tools(tools: readonly ToolInfo[]): void {
    this.#heading("Tools");
    for (const line of toolTable(tools, this.#output, "  ")) this.#output.line(line);
  }

  call(tool: string, input: Readonly<Record<string, unknown>>): void {
    const { bold, dim } = this.#output.outStyle;
    const shown = Object.entries(input).map(([name, value]) => `${name}=${short(value)}`);
    this.#output.line();
    this.#output.line(`${bold(tool)} ${dim(shown.join(" "))}`);
  }

  progress(_tool: string, message: string): void {
    const { cyan } = this.#output.outStyle;
    this.#output.line(`  ${cyan("⋯")} ${oneLine(message)}`);
  }

  async result(tool: string, { content, isError }: ToolResult, ms: number): Promise<void> {
    for (const each of content) await this.#content(tool, each);
    const { dim, green, red } = this.#output.outStyle;
    const mark = isError ? red("✖ failed") : green("✔");
    this.#output.line(`  ${mark} ${dim(formatDuration(ms))}`);
  }

  async framebuffer(path: string, extension: string, line: string): Promise<void> {
    this.#heading("Framebuffer");
    this.#output.line(`  ${this.#output.outStyle.dim(`${extension} captured over MX: ${oneLine(line)}`)}`);
    await this.#picture(path);
  }

  stopping(): void {
    this.#heading("Stopping");
  }

  end(ms: number): void {
    this.#isOver = true;
    this.#output.line();
    this.#output.line(`${this.#output.outStyle.green("✔")} done in ${formatDuration(ms)}`);
  }

  #heading(text: string): void {
    this.#output.line();
    this.#output.line(this.#output.outStyle.bold(text));
  }

  async #content(tool: string, content: Content): Promise<void> {
    if (content.type === "text") return this.#excerpt(printable(content.text).split("\n"));
    if (content.type === "file") {
      this.#output.line(
        `  ${content.path}  ${this.#output.outStyle.dim(`${content.mimeType}, ${content.size} bytes`)}`,
      );
      return this.#excerpt((await readFile(content.path, "utf8")).split(/\r?\n/));
    }
    if ("data" in content) {
      const bytes = imageBytes(content.data, tool);
      if (showPicture(this.#output, bytes, PICTURE)) return;
      this.#output.line(`  saved as ${await this.#saver.write(bytes, content.mimeType)}`);
    } else await this.#picture(content.path);
  }

  async #picture(path: string): Promise<void> {
    if (!showPicture(this.#output, await readFile(path), PICTURE)) this.#output.line(`  saved as ${path}`);
  }

  #excerpt(lines: readonly string[]): void {
    const { dim } = this.#output.outStyle;
    const full = lines.filter((line) => line.trim() !== "").flatMap((line) => wrap(line, this.#width));
    for (const line of full.slice(0, EXCERPT_LINES)) this.#output.line(`  ${dim("│")} ${line}`);
    if (full.length > EXCERPT_LINES) this.#output.line(`  ${dim(`│ … ${full.length - EXCERPT_LINES} more lines`)}`);
  }
}

function short(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = oneLine(text);
  return line.length > 48 ? `${line.slice(0, 47)}…` : line;
}
