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
    this.#output.event({ type: "begin", extensions: ids });
  }
  event(event: HostEvent): void {
    this.#output.event(event);
  }
  tools(tools: readonly ToolInfo[]): void {
    this.#output.event({ type: "list", tools });
  }
  call(tool: string, input: Readonly<Record<string, unknown>>): void {
    this.#output.event({ type: "call", tool, input });
  }
  progress(tool: string, message: string): void {
    this.#output.event({ type: "progress", tool, message });
  }
  async result(tool: string, result: ToolResult, ms: number): Promise<void> {
    this.#output.event({ type: "result", tool, result, ms: Math.round(ms) });
  }
  async framebuffer(path: string, extension: string): Promise<void> {
    this.#output.event({ type: "framebuffer", extension, path });
  }
  stopping(): void {
    this.#output.event({ type: "stopping" });
  }
  end(ms: number): void {
    this.#output.event({ type: "end", ms: Math.round(ms) });
  }
}
