/** A peer that is asked, started over each transport and as a process. */
import assert from "node:assert/strict";
import type { GivenLimits } from "../../src/rpc/limits.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { fixture } from "./runtime.ts";
import { testHandlers } from "./test_peer.ts";
import { FRAMES, LINES, MEMORY, ProcessWire, type Wire } from "./wire.ts";

export type Start = (limits?: GivenLimits) => Promise<Wire>;

export const here: readonly (readonly [string, Start])[] = [MEMORY, LINES, FRAMES].map((transport) => [
  transport.name,
  (limits) =>
    transport.connect(
      (channel) => new Peer(channel, testHandlers(), { limits, batches: transport !== FRAMES }),
      limits,
    ),
]);
export const everywhere: typeof here = [
  ...here,
  ["a process", () => Promise.resolve(new ProcessWire(fixture("rpc_peer")))],
];

/** The next message answers this, so nothing came before it. */
export async function provesQuiet(wire: Wire): Promise<void> {
  assert.deepEqual(await wire.ask("quiet?", "echo", 1), { jsonrpc: "2.0", id: "quiet?", result: 1 });
}

export async function each(wire: Wire, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } finally {
    wire.end();
    if (wire instanceof ProcessWire) await wire.exited;
  }
}
