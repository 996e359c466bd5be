/** A peer that asks, with plain text at its other end. */
import assert from "node:assert/strict";
import type { Diagnostic } from "../../src/rpc/channel.ts";
import type { ExtensionError } from "../../src/rpc/errors.ts";
import { Peer, type PeerHandlers, type PeerOptions } from "../../src/rpc/peer.ts";
import type { Transport, Wire } from "./wire.ts";

export interface Pair {
  readonly peer: Peer;
  readonly wire: Wire;
  readonly diagnostics: Diagnostic[];
  readonly errors: unknown[];
  readonly closed: Promise<ExtensionError>;
}

export async function pair(
  transport: Transport,
  options: PeerOptions = {},
  handlers: PeerHandlers = {},
): Promise<Pair> {
  const diagnostics: Diagnostic[] = [];
  const errors: unknown[] = [];
  let peer: Peer | undefined;
  let end: (reason: ExtensionError) => void = () => {};
  const closed = new Promise<ExtensionError>((resolve) => {
    end = resolve;
  });
  const wire = await transport.connect((channel) => {
    const ends = {
      diagnostic: (diagnostic: Diagnostic) => void diagnostics.push(diagnostic),
      error: (error: unknown) => void errors.push(error),
      closed: end,
    };
    peer = new Peer(channel, { ...handlers, ...ends }, { answersInvalid: false, ...options });
  }, options.limits);
  return { peer: peer!, wire, diagnostics, errors, closed };
}

export function canWrite(value: unknown): boolean {
  try {
    return JSON.stringify(value).length > 0;
  } catch {
    return false;
  }
}

/** A call that shows that the connection still works, and that nothing else was sent before it. */
export async function works({ peer, wire }: Pair): Promise<void> {
  const answer = peer.request("works");
  const { id, method } = await wire.next();
  assert.equal(method, "works");
  wire.send(`{"jsonrpc":"2.0","id":${id},"result":"yes"}`);
  assert.equal(await answer, "yes");
}
