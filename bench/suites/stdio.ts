/** Tool calls to a real child process over lines on its stdin and stdout. */
import type { Contender } from "../harness/contenders.ts";
import { callRows } from "./calls.ts";
import type { Suite } from "./suite.ts";

const contenders: readonly Contender[] = [
  { name: "ours", caller: "ours/stdio_host", answerer: "ours/stdio_child" },
  { name: "limit", caller: "limit/stdio_host", answerer: "limit/stdio_child" },
  { name: "vscode-jsonrpc", caller: "peers/vscode_stdio_host", answerer: "peers/vscode_stdio_child" },
  { name: "MCP SDK", caller: "peers/mcp_stdio_host", answerer: "peers/mcp_stdio_child" },
  { name: "json-rpc-2.0", caller: "peers/json_rpc_stdio_host", answerer: "peers/json_rpc_stdio_child" },
];

export const stdio: Suite = (options) => callRows("stdio", contenders, [64, 1_024, 1], options);
