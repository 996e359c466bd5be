/** What each case has to reach on Node 20. */
import type { Row } from "./harness/rows.ts";

export interface Goal {
  /** Least ratios: above 1 says that ours is better. */
  readonly vsLimit?: number;
  readonly vsPeers?: Readonly<Record<string, number>>;
  /** The most that ours may be, in the row's unit. */
  readonly most?: number;
}

/** By suite, then by the beginning of the case: the first that fits. */
const goals: Readonly<Record<string, readonly (readonly [string, Goal])[]>> = {
  stdio: [
    ["64 in flight, CPU", { vsLimit: 1 / 1.5 }],
    ["64 in flight", { vsLimit: 0.8, vsPeers: { "vscode-jsonrpc": 5, "MCP SDK": 5, "json-rpc-2.0": 2 } }],
    ["1024 in flight, CPU", { vsLimit: 1 / 1.5 }],
    ["1024 in flight", { vsLimit: 0.7, vsPeers: { "vscode-jsonrpc": 5, "MCP SDK": 5, "json-rpc-2.0": 1.5 } }],
    ["1 in flight, CPU", {}],
    ["1 in flight", { vsLimit: 1 / 1.4, vsPeers: { "vscode-jsonrpc": 3 } }],
  ],
  tcp: [
    ["64 in flight, CPU", {}],
    ["64 in flight", { vsLimit: 0.8, vsPeers: { "vscode-jsonrpc": 5 } }],
    ["1024 in flight, CPU", {}],
    ["1024 in flight", { vsLimit: 0.7, vsPeers: { "vscode-jsonrpc": 7 } }],
  ],
  bulk: [
    ["8 MiB, memory", { most: 1.3 }],
    ["33.2 MB, memory", { most: 1.3 }],
    ["CPU per MB", { most: 1.3 }],
    ["8 MiB", { vsLimit: 0.8, vsPeers: { "vscode-jsonrpc": 10 } }],
    ["33.2 MB", { vsLimit: 0.8, vsPeers: { "vscode-jsonrpc": 10 } }],
  ],
  scale: [
    ["heap of an idle session", { most: 2_048 }],
    ["resident memory of an idle session", { vsLimit: 1 / 1.5 }],
    ["hellos", { vsPeers: { "vscode-jsonrpc": 2 } }],
    ["cost of a call", { most: 1.3 }],
    ["host's memory", { vsLimit: 1 / 1.3 }],
  ],
  startup: [
    ["first answer of the SDK", { vsLimit: 1 / 1.15 }],
    ["first answer of the executable", { vsLimit: 1 / 1.3 }],
    ["import of", { most: 5 }],
    ["an extension with the SDK, minified and gzipped", { most: 5 }],
    ["an extension with the SDK, minified", { most: 15 }],
  ],
};

/** `met`, or what is missing; empty for a case without a goal. */
export function verdict(row: Row): string {
  const goal = goals[row.suite]?.find(([beginning]) => row.case.startsWith(beginning))?.[1];
  if (goal === undefined || Object.keys(goal).length === 0) return "";
  const missed: string[] = [];
  const check = (name: string, ratio: number | null | undefined, least: number): void => {
    if (!((ratio ?? Number.NaN) >= least)) missed.push(`${name} ≥ ${Number(least.toFixed(2))}`);
  };
  if (goal.vsLimit !== undefined) check("limit", row.vsLimit, goal.vsLimit);
  for (const [name, least] of Object.entries(goal.vsPeers ?? {})) check(name, row.vsPeers[name], least);
  if (goal.most !== undefined && !(row.ours <= goal.most)) missed.push(`≤ ${goal.most}`);
  return missed.length === 0 ? "met" : `missed: ${missed.join(", ")}`;
}
