/** The caller of `stdio` and `tcp` over a session of ours, with all that a host can ask for in a call. */

import type { ExecuteOptions } from "../../src/dhara/host.ts";
import type { TextContent, ToolResult } from "../../src/dhara/types.ts";
import { type Caller, serveCalls } from "../harness/calls.ts";

type Execute = (tool: string, input: unknown, options: ExecuteOptions) => Promise<ToolResult>;

export function serveExecute(execute: Execute, rest: Pick<Caller<unknown>, "childPid" | "close">): void {
  // One signal for the calls of one job, as an agent's turn has it.
  const { signal } = new AbortController();
  const onProgress = (): void => {};
  serveCalls({
    call: (text) => execute("echo", { text }, { timeoutMs: 30_000, signal, onProgress }),
    textOf: ({ content }) => (content[0] as TextContent).text,
    ...rest,
  });
}
