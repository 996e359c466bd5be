/** What each case has to reach: ratios, above 1 says that ours is better. */
import type { Row } from "./harness/rows.ts";

export interface Goal {
  readonly vsLimit?: number;
  readonly vsPeers?: Readonly<Record<string, number>>;
}

const goals: Readonly<Record<string, Goal>> = {
  "stdio: 64 in flight": { vsLimit: 0.8, vsPeers: { "vscode-jsonrpc": 5, "MCP SDK": 5, "json-rpc-2.0": 2 } },
  "stdio: 1024 in flight": { vsLimit: 0.7, vsPeers: { "vscode-jsonrpc": 5, "MCP SDK": 5, "json-rpc-2.0": 1.5 } },
  "stdio: 64 in flight, CPU": { vsLimit: 1 / 1.5 },
  "stdio: 1024 in flight, CPU": { vsLimit: 1 / 1.5 },
  "stdio: 1 in flight": { vsLimit: 1 / 1.4, vsPeers: { "vscode-jsonrpc": 3 } },
  "tcp: 64 in flight": { vsLimit: 0.8, vsPeers: { "vscode-jsonrpc": 5 } },
  "tcp: 1024 in flight": { vsLimit: 0.7, vsPeers: { "vscode-jsonrpc": 7 } },
};

/** `met`, or what is missing; empty for a case without a goal. */
export function verdict(row: Row): string {
  const goal = goals[`${row.suite}: ${row.case}`];
  if (goal === undefined) return "";
  const missed: string[] = [];
  const check = (name: string, ratio: number | null | undefined, least: number): void => {
    if (!((ratio ?? Number.NaN) >= least)) missed.push(`${name} ≥ ${Number(least.toFixed(2))}`);
  };
  if (goal.vsLimit !== undefined) check("limit", row.vsLimit, goal.vsLimit);
  for (const [name, least] of Object.entries(goal.vsPeers ?? {})) check(name, row.vsPeers[name], least);
  return missed.length === 0 ? "met" : `missed: ${missed.join(", ")}`;
}
