/** What is written and what is read have one limit: a message of exactly so many bytes passes, one byte more does not. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { after, test } from "node:test";
import { scalarCodec } from "../../codec/scalar.ts";
import type { Channel } from "../../src/rpc/channel.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { type Framing, pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { streamPipe } from "../../src/rpc/stream_pipe.ts";
import { traceChannel } from "../../src/rpc/trace.ts";
import { testHandlers } from "../support/test_peer.ts";
import { endWires, FRAMES, LINES, MEMORY } from "../support/wire.ts";

after(endWires);

const MOST = 1_000;
const limits = { maxMessageBytes: MOST };

function overStreams(framing: Framing): [Channel, Channel] {
  const [there, back] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
  const near = streamPipe({ readable: back.readable, writable: there.writable });
  const far = streamPipe({ readable: there.readable, writable: back.writable });
  return [pipeChannel(near, scalarCodec, framing, limits), pipeChannel(far, scalarCodec, framing, limits)];
}

/** `inPayload`: what a message of this transport holds beside its text that the limit counts. */
const KINDS = [
  { transport: MEMORY, link: () => memoryPair(limits), inPayload: 0 },
  { transport: LINES, link: () => overStreams("lines"), inPayload: 0 },
  { transport: FRAMES, link: () => overStreams("frames"), inPayload: 1 },
];

/** Characters of one byte each, then characters of three. */
const FILLINGS = [
  (bytes: number) => "x".repeat(bytes),
  (bytes: number) => "汉".repeat(bytes / 3) + "x".repeat(bytes % 3),
];

for (const { transport, link, inPayload } of KINDS) {
  /** What fills a message up to `over` bytes past the limit: `empty` is the message without it. */
  const filled = (empty: object, over: number) =>
    FILLINGS.map((fill) => fill(MOST + over - inPayload - JSON.stringify(empty).length));
  const request = (id: number, params: unknown) => ({ jsonrpc: "2.0", id, method: "echo", params });

  test(`[X-06] what is written is read: requests, results, notes and bytes up to the limit, over ${transport.name}`, async () => {
    await passes(...link());
  });

  test(`[X-06] the same where every message is traced, over ${transport.name}`, async () => {
    const [near, far] = link();
    await passes(
      traceChannel(near, () => {}),
      traceChannel(far, () => {}),
    );
  });

  async function passes(near: Channel, far: Channel): Promise<void> {
    const heard: unknown[] = [];
    const handlers = {
      ...testHandlers(),
      notification: (_: string, params: unknown) => void heard.push(params),
      binary: (body: Uint8Array) => void heard.push(body.length),
    };
    const asked = new Peer(far, handlers, { limits });
    const peer = new Peer(near, {}, { limits });
    let id = 0;
    for (const params of filled(request(1, ""), 0)) {
      id++;
      assert.equal(await peer.request("echo", params), params);
      await assert.rejects(peer.request("echo", `${params}x`), {
        code: "limit",
        message: /maxMessageBytes \(1000 bytes\)/,
      });
    }
    const result = { jsonrpc: "2.0", id: id + 1, result: "" };
    const [long] = filled(result, 0);
    assert.equal(await peer.request("many", long!.length), long);
    await assert.rejects(peer.request("many", long!.length + 1), {
      code: -32603,
      message: /maxMessageBytes \(1000 bytes\)/,
    });
    for (const params of filled({ jsonrpc: "2.0", method: "note", params: "" }, 0)) {
      await peer.notify("note", params);
      await assert.rejects(peer.notify("note", `${params}x`), { code: "limit" });
    }
    if (transport !== LINES) {
      await peer.sendBinary([new Uint8Array(MOST - inPayload)]);
      await assert.rejects(peer.sendBinary([new Uint8Array(MOST - inPayload + 1)]), {
        code: "limit",
        message: /its 1001 bytes exceed maxMessageBytes \(1000 bytes\)/,
      });
    }
    assert.equal(await peer.request("echo", "still there"), "still there");
    assert.equal(heard.length, transport === LINES ? 2 : 3);
    await Promise.all([peer.close(), asked.close()]);
  }

  test(`[X-06] what is read is answered up to the limit and ends the connection past it, over ${transport.name}`, async () => {
    let reason: Error | undefined;
    const closed = new Promise<void>((resolve) => {
      void transport
        .connect((channel) => {
          new Peer(channel, { ...testHandlers(), closed: (error) => resolve(void (reason = error)) }, { limits });
        }, limits)
        .then(async (wire) => {
          for (const params of filled(request(1, ""), 0)) {
            const text = JSON.stringify(request(1, params));
            wire.send(text);
            const answer = await wire.nextText();
            assert.equal(Buffer.byteLength(text) + inPayload, MOST);
            assert.equal((JSON.parse(answer ?? "") as { result: unknown }).result, params);
          }
          wire.send(JSON.stringify(request(1, filled(request(1, ""), 1)[1])));
        })
        .catch((error: unknown) => resolve(void (reason = error as Error)));
    });
    await closed;
    assert.equal((reason as { code?: string } | undefined)?.code, "limit", String(reason));
    assert.match(String(reason), /maxMessageBytes\W+1000/);
  });

  test(`[X-06] [D-04] an error whose id leaves no room for it has none, over ${transport.name}`, async () => {
    const wire = await transport.connect((channel) => new Peer(channel, testHandlers(), { limits }), limits);
    for (const length of [900, 940]) {
      const { id, error } = await wire.ask("x".repeat(length), "nope");
      assert.deepEqual([id?.length, error.code], [length === 900 ? 900 : undefined, -32601]);
    }
    assert.equal((await wire.ask(1, "echo", "still there")).result, "still there");
    wire.end();
  });

  test(`[X-06] [X-02] the answers to a batch fill one message up to the limit, over ${transport.name}`, async () => {
    const wire = await transport.connect((channel) => new Peer(channel, testHandlers(), { limits }), limits);
    const empty = [1, 2].map((id) => ({ jsonrpc: "2.0", id, result: "" }));
    const [fits] = filled(empty, 0);
    for (const [size, refused] of [
      [fits!.length, []],
      [fits!.length + 1, [-32603]],
    ] as const) {
      const half = Math.floor(size / 2);
      const batch = [half, size - half].map((params, i) => ({ jsonrpc: "2.0", id: i + 1, method: "many", params }));
      wire.send(JSON.stringify(batch));
      const answers = (await wire.next()) as { error?: { code: number } }[];
      assert.equal(answers.length, 2);
      assert.deepEqual(
        answers.flatMap(({ error }) => error?.code ?? []),
        refused,
      );
    }
    wire.end();
  });
}
