/** What the demo tells as it goes, whoever looks. */
import type { ToolInfo, ToolResult } from "../dhara/types.ts";
import type { HostEvent } from "../host/events.ts";

export interface DemoView {
  begin(ids: readonly string[]): void;
  event(event: HostEvent): void;
  tools(tools: readonly ToolInfo[]): void;
  call(tool: string, input: Readonly<Record<string, unknown>>): void;
  progress(tool: string, message: string): void;
  result(tool: string, result: ToolResult, ms: number): Promise<void>;
  framebuffer(path: string, extension: string, line: string): Promise<void>;
  stopping(): void;
  end(ms: number): void;
}
