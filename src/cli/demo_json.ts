/** The demo as one JSON event a line, for a program. */
import type { ToolInfo, ToolResult } from "../dhara/types.ts";
import type { HostEvent } from "../host/events.ts";
import type { DemoView } from "./demo_view.ts";
import type { Output } from "./output.ts";

export class DemoJson implements DemoView {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  begin(ids: readonly string[]): void {
    this.#print({ type: "begin", extensions: ids });
  }
  event(event: HostEvent): void {
    this.#print(event);
  }
  tools(tools: readonly ToolInfo[]): void {
    this.#print({ type: "list", tools });
  }
  call(tool: string, input: Readonly<Record<string, unknown>>): void {
    this.#print({ type: "call", tool, input });
  }
  progress(tool: string, message: string): void {
    this.#print({ type: "progress", tool, message });
  }
  async result(tool: string, result: ToolResult, ms: number): Promise<void> {
    this.#print({ type: "result", tool, result, ms: Math.round(ms) });
  }
  async framebuffer(path: string, extension: string): Promise<void> {
    this.#print({ type: "framebuffer", extension, path });
  }
  stopping(): void {
    this.#print({ type: "stopping" });
  }
  end(ms: number): void {
    this.#print({ type: "end", ms: Math.round(ms) });
  }

  #print(value: unknown): void {
    this.#output.write(`${JSON.stringify(value)}\n`);
  }
}
