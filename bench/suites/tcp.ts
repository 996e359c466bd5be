/** The same calls to a real process over MX frames on a TCP socket. */
import type { Contender } from "../harness/contenders.ts";
import { callRows } from "./calls.ts";
import type { Suite } from "./suite.ts";

const contenders: readonly Contender[] = [
  { name: "ours", caller: "ours/tcp_host", answerer: "ours/tcp_child" },
  { name: "limit", caller: "limit/tcp_host", answerer: "limit/tcp_child" },
  { name: "vscode-jsonrpc", caller: "peers/vscode_tcp_host", answerer: "peers/vscode_tcp_child" },
  { name: "json-rpc-2.0", caller: "peers/json_rpc_tcp_host", answerer: "peers/json_rpc_tcp_child" },
];

export const tcp: Suite = (options) => callRows("tcp", contenders, [64, 1_024, 1], options);
