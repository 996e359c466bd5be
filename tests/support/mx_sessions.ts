/** One side of a session of ours, and the other by hand. */

import assert from "node:assert/strict";
import type { MxClientOptions } from "../../src/mx/extension.ts";
import type { MxGateOptions, MxSession } from "../../src/mx/host.ts";
import type { Peer } from "../../src/rpc/peer.ts";
import type { Json } from "./messages.ts";
import { type RawEnd, RawHost, TestGate } from "./mx.ts";

export interface Context {
  after(fn: () => unknown): void;
}

/** The answer of the document. */
export const STATUS = {
  state: "ready",
  message: "watching",
  version: "0.1.0",
  protocolVersion: 1,
  capabilities: ["runtime.v1"],
};

/** Our host. */
export async function openGate(t: Context, options: Partial<MxGateOptions> = {}): Promise<TestGate> {
  const gate = await TestGate.open(options);
  t.after(() => gate.close());
  return gate;
}

/** A host by hand. */
export async function openHost(t: Context): Promise<RawHost> {
  const host = await RawHost.open();
  t.after(() => host.close());
  return host;
}

/** Our host, an extension by hand that it has let in, and the session. */
export async function hosting(
  t: Context,
  options: Partial<MxGateOptions> = {},
): Promise<{ gate: TestGate; end: RawEnd; session: MxSession }> {
  const gate = await openGate(t, options);
  const end = await gate.greeted();
  t.after(() => end.destroy());
  return { gate, end, session: await gate.sessions.next() };
}

/** Our extension, and the host by hand that it talks with. */
export async function extending(t: Context, options: Partial<MxClientOptions> = {}) {
  const host = await openHost(t);
  const session = await host.session(options);
  t.after(() => session.client.close());
  return session;
}

/** A session in each role: our peer, and the end by hand that it talks with. */
export async function bothRoles(t: Context): Promise<readonly { readonly peer: Peer; readonly end: RawEnd }[]> {
  const { session, end } = await hosting(t);
  const extension = await extending(t);
  return [
    { peer: session.peer, end },
    { peer: extension.client.peer, end: extension.end },
  ];
}

export const ok = (id: number | string, result: Json) => ({ jsonrpc: "2.0", id, result });

/** Sends `message` and expects an error, then the end of the connection, and nothing else. */
export async function refusedWith(end: RawEnd, message: Json): Promise<Json> {
  end.send(message);
  const answer = await end.json();
  await end.ended;
  assert.equal(end.frames.size, 0);
  assert.equal(answer.jsonrpc, "2.0");
  assert.equal(answer.result, undefined);
  return answer;
}
