/** An extension built with the library, started over each transport and as a process. */
import assert from "node:assert/strict";
import { DharaServer } from "../../src/dhara/extension.ts";
import type { Json } from "./messages.ts";
import { fixture } from "./runtime.ts";
import { testExtension } from "./test_extension.ts";
import { LINES, MEMORY, ProcessWire, type Wire } from "./wire.ts";

export type Start = () => Promise<Wire>;

export const everywhere: readonly (readonly [string, Start])[] = [
  ...[MEMORY, LINES].map((transport) => {
    const start = () => transport.connect((channel) => new DharaServer(testExtension(), channel));
    return [transport.name, start] as const;
  }),
  ["a process", () => Promise.resolve(new ProcessWire(fixture("dhara_server")))],
];

export async function initialized(start: Start): Promise<Wire> {
  const wire = await start();
  await wire.ask("init", "initialize", { version: "0.1.0", cwd: "/work" });
  return wire;
}

export function execute(wire: Wire, toolName: unknown, input?: unknown, id: unknown = 1): Promise<Json> {
  return wire.ask(id, "tools/execute", { toolName, input });
}

/** Shuts it down and returns what came before the end. */
export async function finish(wire: Wire): Promise<string[]> {
  wire.notify("shutdown");
  const rest = await wire.rest();
  if (wire instanceof ProcessWire) assert.deepEqual(await wire.exited, { code: 0, signal: null });
  wire.end();
  return rest;
}
