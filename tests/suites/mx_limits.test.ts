/** How large a frame may be, before and after hello, and what a claim costs (X-06, B3), over real sockets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scalarCodec } from "../../codec/scalar.ts";
import { attachmentMessage } from "../../src/mx/attachment.ts";
import { MxClient } from "../../src/mx/extension.ts";
import type { ExtensionError } from "../../src/rpc/errors.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { frame, jsonFrame } from "../support/messages.ts";
import { connectTo, ID } from "../support/mx.ts";
import { openGate, openHost } from "../support/mx_sessions.ts";
import { rejected } from "../support/rejected.ts";

test("[X-06] before its hello a frame may have 64 KiB and after it 64 MiB, each by its own name", async (t) => {
  const gate = await openGate(t);
  const stranger = await gate.connect();
  await stranger.write(Buffer.from([0, 1, 0, 1]));
  await stranger.ended;
  assert.match((await gate.refused.next()).message, /claims 65537 bytes, which exceeds maxHelloBytes \(65536 bytes\)/);

  // Exactly the limit is fine: a hello with much white space, of which the kind byte is a part.
  const end = await gate.connect();
  const hello = JSON.stringify(gate.hello());
  const padded = Buffer.concat([
    frame(0, hello + " ".repeat(65_535 - hello.length)),
    jsonFrame({ jsonrpc: "2.0", id: 2, method: "host.v1.listVms", params: "x".repeat(100_000) }),
  ]);
  assert.equal(padded.readUInt32BE(0), 65_536);
  // The larger one comes in the same write as the hello that allows it.
  await end.write(padded);
  assert.equal((await end.json()).id, 1);
  assert.equal((await end.json()).id, 2);
  const session = await gate.sessions.next();
  await end.write(Buffer.from([0x04, 0, 0, 1]));
  const reason = await session.closed;
  assert.equal(reason.code, "limit");
  assert.match(reason.message, /claims 67108865 bytes, which exceeds maxMessageBytes \(67108864 bytes\)/);
});

test("[X-06] an extension too takes only small frames before its hello is answered", async (t) => {
  const host = await openHost(t);
  const refused = assert.rejects(connectTo(host.address), {
    code: "handshake-failed",
    message: /claims 65537 bytes, which exceeds maxHelloBytes/,
  });
  const end = await host.connections.next();
  await end.json();
  await end.write(Buffer.from([0, 1, 0, 1]));
  await refused;
});

test("[X-06] an extension takes a large frame in the same write as the answer to its hello", async (t) => {
  const host = await openHost(t);
  const connecting = connectTo(host.address);
  const end = await host.connections.next();
  const { id } = await end.json();
  const result = { protocolVersion: 1, hostCapabilities: [], sessionId: `${ID}-0011223344556677` };
  const asked = { jsonrpc: "2.0", id: "large", method: "extension.v1.reportStatus", params: "x".repeat(100_000) };
  await end.write(Buffer.concat([jsonFrame({ jsonrpc: "2.0", id, result }), jsonFrame(asked)]));
  assert.equal((await end.json()).id, "large");
  await (await connecting).close();
});

test("[X-06] limits of a gate and of an extension can be set, and the error names them", async (t) => {
  const gate = await openGate(t, { limits: { maxMessageBytes: 1_000 } });
  const host = await openHost(t);
  const end = await gate.greeted();
  const session = await gate.sessions.next();
  await end.write(frame(0, " ".repeat(1_000)));
  assert.match((await session.closed).message, /exceeds maxMessageBytes \(1000 bytes\)/);

  const { client, end: hostEnd } = await host.session({ limits: { maxMessageBytes: 1_000 } });
  await hostEnd.write(frame(1, Buffer.alloc(1_000)));
  assert.match((await client.closed).message, /exceeds maxMessageBytes \(1000 bytes\)/);
});

test("[X-06] 64 MiB of attachments may wait for their results where nobody says how much", async () => {
  const [near, far] = memoryPair();
  const ids: number[] = [];
  far.open({
    text(text) {
      const { id, method } = JSON.parse(text) as { id: number; method: string };
      ids.push(id);
      const result = { protocolVersion: 1, hostCapabilities: [], sessionId: "x" };
      if (method === "host.v1.hello") far.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
    },
    binary() {},
    diagnostic() {},
    closed() {},
  });
  const client = await MxClient.connect(near, { id: ID, token: "t", codec: scalarCodec });
  const captures = ["a", "b", "c"].map((vmId) => rejected(client.captureFramebuffer(vmId)));
  while (ids.length < 4) await new Promise<void>((resolve) => setImmediate(resolve));
  const half = new Uint8Array(32 * 1024 * 1024);
  const sizes = [half.length, half.length, 1];
  sizes.forEach((size, i) => {
    far.send(attachmentMessage(ids[i + 1]!, "framebuffer", [half.subarray(0, size)]));
  });
  sizes.forEach((byteLength, i) => {
    far.send(JSON.stringify({ jsonrpc: "2.0", id: ids[i + 1], result: { encoding: "mxfb0001", byteLength } }));
  });
  const errors = (await Promise.all(captures)) as ExtensionError[];
  // The first two were kept, and are no pictures; the last one was a byte too much.
  assert.deepEqual(
    errors.map(({ code }) => code),
    ["protocol", "protocol", "limit"],
  );
  assert.match(errors[2]!.message, /maxWaitingAttachmentBytes \(67108864 bytes\)/);
  await client.close();
});

test("[X-06] a picture over the limit is an error of its capture, and the session goes on", async (t) => {
  let released = 0;
  const pixels = new Uint8Array(200 * 4);
  const capture = (vmId: string) => {
    const height = vmId === "large" ? 200 : 1;
    return { width: 1, height, stride: 4, format: "rgba" as const, pixels, release: () => void released++ };
  };
  const gate = await openGate(t, { limits: { maxMessageBytes: 800 }, vms: { list: () => [], capture } });
  const end = await gate.greeted();
  const session = await gate.sessions.next();
  const params = { vmId: "large" };
  const { error } = await end.ask(2, "host.v1.captureFramebuffer", params);
  assert.equal(error.code, -32603);
  assert.match(
    error.message,
    /the attachment to the result of .*captureFramebuffer can't be sent: .* maxMessageBytes \(800 bytes\)/,
  );
  assert.equal(released, 1);
  assert.equal((await end.ask(3, "host.v1.captureFramebuffer", { vmId: "small" })).result.height, 1);
  assert.equal((await end.frames.next()).kind, 1);
  await assert.rejects(session.peer.sendBinary([pixels]), { code: "limit", message: /maxMessageBytes \(800 bytes\)/ });
  assert.deepEqual((await end.ask(4, "host.v1.listVms")).result, []);
});

test("[B3] what strangers claim costs no memory", async (t) => {
  const gate = await openGate(t, { helloTimeoutMs: 60_000 });
  const ends = await Promise.all(Array.from({ length: 100 }, () => gate.connect()));
  // The most that a claim may be before hello, with nothing behind it; of these nothing is allocated either.
  const before = process.memoryUsage();
  await Promise.all(ends.map((end) => end.write(Buffer.from([0, 1, 0, 0, 1]))));
  await Promise.all(ends.map((end) => end.write(Buffer.from([0]))));
  const after = process.memoryUsage();
  assert.ok(
    after.arrayBuffers - before.arrayBuffers < 100 * 16_384,
    `${after.arrayBuffers - before.arrayBuffers} bytes`,
  );
  for (const claim of [0x7fff_ffff, 0xffff_ffff]) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(claim);
    const greedy = await Promise.all(Array.from({ length: 50 }, () => gate.connect()));
    await Promise.all(greedy.map((end) => end.write(bytes)));
    await Promise.all(greedy.map((end) => end.ended));
  }
  assert.ok(gate.refused.all.every(({ code }) => code === "limit"));
  assert.equal(gate.refused.all.length, 100);
  for (const end of ends) end.destroy();
  // Nobody was let in, and whoever should be still is.
  const end = await gate.greeted();
  assert.ok((await end.ask(2, "host.v1.listVms")).result);
  assert.equal(gate.sessions.all.length, 1);
  assert.equal((await gate.sessions.next()).sessionId.startsWith(`${ID}-`), true);
  end.destroy();
});
