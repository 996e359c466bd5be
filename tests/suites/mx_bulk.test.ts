/** Much data and slow readers on real sockets (B5, B6, B7, B13, E4). */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { dial } from "../../src/adapters/node_connect.ts";
import type { Picture, VmRuntime } from "../../src/mx/vm_runtime.ts";
import { Inbox } from "../support/inbox.ts";
import { frame, jsonFrame } from "../support/messages.ts";
import { DEAD_ADDRESS, TestGate } from "../support/mx.ts";
import { openGate, openHost } from "../support/mx_sessions.ts";

const MIB = 1024 * 1024;

function only(runtime: Partial<VmRuntime>): VmRuntime {
  return { list: () => [], capture: () => undefined, ...runtime };
}

function noise(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = 1;
  for (let i = 0; i < size; i++) {
    state = (state * 1_103_515_245 + 12_345) >>> 0;
    bytes[i] = state >>> 16;
  }
  return bytes;
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

test("[B5] [M-04] 8 MiB and 33 MB of pixels come through a real socket whole, and so do 8 MiB of text the other way", async (t) => {
  const pixels = noise(3840 * 2160 * 4);
  const size = (vmId: string) => (vmId === "8" ? { width: 2048, height: 1024 } : { width: 3840, height: 2160 });
  const gate = await openGate(t, {
    vms: only({
      capture: (vmId): Picture => ({ ...size(vmId), stride: size(vmId).width * 4, format: "rgba", pixels }),
    }),
  });
  const client = await gate.client({ timeoutMs: 0 });
  for (const vmId of ["8", "33", "8", "33"]) {
    const { rgba, width, height, release } = await client.captureFramebuffer(vmId);
    assert.equal(rgba.length, width * height * 4);
    assert.equal(hash(rgba), hash(pixels.subarray(0, rgba.length)));
    release();
  }
  const text = "ü😀 ".repeat((8 * MIB) / 7);
  const session = await gate.sessions.next();
  await assert.rejects(client.peer.request("host.v1.captureFramebuffer", { vmId: [text] }), { code: -32602 });
  await assert.rejects(client.peer.request(text), { code: -32601, message: `method not found: ${text}` });
  assert.equal(session.peer.serving, 0);
  await client.close();
});

test("[B6] [M-04] a reader that is slow sees every frame whole, and each attachment right behind its result", async (t) => {
  const gate = await openGate(t, {
    vms: only({
      list: () => [{ id: "x".repeat(5_000), name: "X" }],
      capture: (vmId): Picture => ({
        width: 200,
        height: 100,
        stride: 800,
        format: "rgba",
        pixels: new Uint8Array(80_000).fill(Number(vmId)),
      }),
    }),
  });
  const end = await gate.greeted();
  const session = await gate.sessions.next();
  end.socket.pause();
  for (let i = 0; i < 50; i++) {
    end.send({ jsonrpc: "2.0", id: i, method: "host.v1.captureFramebuffer", params: { vmId: String(i) } });
    end.send({ jsonrpc: "2.0", id: `list ${i}`, method: "host.v1.listVms" });
    void session.peer.notify("note", { text: "ü".repeat(i * 10) });
  }
  // Read a little at a time.
  const reading = setInterval(() => {
    end.socket.resume();
    setTimeout(() => end.socket.pause(), 1);
  }, 2);
  t.after(() => clearInterval(reading));
  const seen = new Set<unknown>();
  for (let notes = 0; seen.size + notes < 150; ) {
    const { kind, body } = await end.frames.next();
    assert.equal(kind, 0);
    const message = JSON.parse(body.toString());
    if (message.method === "note") {
      notes++;
      continue;
    }
    seen.add(message.id);
    if (typeof message.id !== "number") continue;
    const attachment = await end.frames.next();
    assert.equal(attachment.kind, 1);
    assert.equal(attachment.body.readBigInt64BE(1), BigInt(message.id));
    assert.equal(attachment.body.length - 24, message.result.byteLength);
    assert.deepEqual(new Set(attachment.body.subarray(48)), new Set([message.id]));
  }
  assert.equal(seen.size, 100);
  end.destroy();
});

test("[B7] 16 results of 1 MiB, asked for at once by a reader that looks up late, all arrive", async (t) => {
  const listed = new Inbox<void>();
  const name = "n".repeat(MIB);
  const gate = await openGate(t, {
    vms: only({
      list: () => {
        listed.push();
        return [{ id: "a", name }];
      },
    }),
  });
  const end = await gate.greeted();
  end.socket.pause();
  for (let id = 1; id <= 16; id++) end.send({ jsonrpc: "2.0", id, method: "host.v1.listVms" });
  for (let id = 1; id <= 16; id++) await listed.next();
  end.socket.resume();
  for (let id = 1; id <= 16; id++) {
    const answer = await end.json();
    assert.deepEqual([answer.id, answer.result[0].name.length], [id, MIB]);
  }
  end.destroy();
});

test("[E4] [M-04] a reader that stops holds up its captures and nothing else: few pictures are taken, and all come when it goes on", async (t) => {
  let taken = 0;
  let held = 0;
  let most = 0;
  const pixels = new Uint8Array(8 * MIB);
  const gate = await openGate(t, {
    vms: only({
      capture: (): Picture => {
        taken++;
        most = Math.max(most, ++held);
        return { width: 2048, height: 1024, stride: 8192, format: "rgba", pixels, release: () => held-- };
      },
    }),
  });
  const client = await gate.client({ timeoutMs: 0 });
  const session = await gate.sessions.next();
  const calls = Array.from({ length: 40 }, () => client.captureFramebuffer("a"));
  const pictures = await Promise.all(
    calls.map(async (call) => {
      const { rgba, release } = await call;
      release();
      return rgba.length;
    }),
  );
  assert.deepEqual(new Set(pictures), new Set([8 * MIB]));
  assert.equal(taken, 40);
  assert.ok(most <= 8, `${most} pictures at once`);
  assert.equal(client.peer.pending, 0);

  // A reader by hand that really does not read.
  await client.close();
  await session.closed;
  taken = 0;
  const end = await gate.greeted();
  end.socket.pause();
  for (let id = 1; id <= 40; id++)
    end.send({ jsonrpc: "2.0", id, method: "host.v1.captureFramebuffer", params: { vmId: "a" } });
  const asleep = await gate.sessions.next();
  // When 40 requests are being served, all have been looked at.
  while (asleep.peer.serving < 30) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(taken <= 8, `${taken} pictures were taken`);
  end.socket.resume();
  for (let id = 1; id <= 40; id++) {
    assert.equal((await end.json()).result.byteLength, 8 * MIB + 24);
    assert.equal((await end.frames.next()).kind, 1);
  }
  end.destroy();
});

test("[E4] [X-06] answers wait for a reader that is late, and one that asks and asks and never reads is cut off with the limit's name", async (t) => {
  const gate = await openGate(t, {
    limits: { maxQueuedBytes: MIB, maxMessageBytes: 2 * MIB },
    vms: only({ list: () => [{ id: "a", name: "n".repeat(MIB) }] }),
  });
  const end = await gate.greeted();
  const session = await gate.sessions.next();
  end.socket.pause();
  const requests = Array.from({ length: 50 }, (_, id) => jsonFrame({ jsonrpc: "2.0", id, method: "host.v1.listVms" }));
  await end.write(Buffer.concat(requests));
  while (session.peer.room() === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
  end.socket.resume();
  for (let id = 0; id < 50; id++) assert.equal((await end.json()).id, id);

  end.socket.pause();
  const unknown = jsonFrame({ jsonrpc: "2.0", id: 1, method: "n".repeat(10_000) });
  const flood = Buffer.concat(Array.from({ length: 100 }, () => unknown));
  for (let i = 0; i < 50; i++) void end.write(flood);
  const reason = await session.closed;
  assert.equal(reason.code, "limit");
  assert.match(
    reason.message,
    /does not read: \d+ bytes are queued, which exceeds maxQueuedBytes \(1048576 bytes\) plus maxMessageBytes/,
  );
  end.destroy();
});

test("[B13] a dead port is an error, and close settles whatever the other side does: ends first, stops reading, never answers", async (t) => {
  const host = await openHost(t);
  // The other side ends, then ours closes.
  const first = await host.session();
  first.end.socket.end();
  await first.client.closed;
  await Promise.all([first.client.close(), first.client.close()]);
  // The other side stops reading while much is queued.
  const second = await host.session({ timeoutMs: 0 });
  second.end.socket.pause();
  const asking = Array.from({ length: 8 }, () =>
    assert.rejects(second.client.peer.request("x".repeat(4 * MIB)), { code: "closed" }),
  );
  await second.client.close();
  await Promise.all(asking);
  // Both at once.
  const third = await host.session();
  third.end.socket.end();
  await third.client.close();
  await assert.rejects(dial(DEAD_ADDRESS), { code: "start-failed", message: /no host listens at 127\.0\.0\.1:\d+/ });
  // Not every runtime tells this from a port that is closed.
  await assert.rejects(dial("255.255.255.255:9"), ({ cause, message }: Error) => {
    const closed = (cause as { code?: string }).code === "ECONNREFUSED";
    const what = closed ? "no host listens at 255.255.255.255:9" : "255.255.255.255:9 could not be reached";
    return message.startsWith(`${what}: `);
  });
  await assert.rejects(dial("nonsense"), { code: "start-failed", message: /must be HOST:PORT/ });
});

test("[B13] a gate closes whatever its extension does", async () => {
  const gate = await TestGate.open({ vms: only({ list: () => [{ id: "a", name: "n".repeat(4 * MIB) }] }) });
  const end = await gate.greeted();
  end.socket.pause();
  for (let id = 1; id <= 8; id++) end.send({ jsonrpc: "2.0", id, method: "host.v1.listVms" });
  const session = await gate.sessions.next();
  const stranger = await gate.connect();
  stranger.socket.pause();
  await Promise.all([gate.close(), gate.close()]);
  assert.equal((await session.closed).code, "closed");
  end.destroy();
  stranger.destroy();
});

test("[B9] [X-13] many frames in one write, with one that ends the connection in the middle, deliver what came before it only", async (t) => {
  const gate = await openGate(t);
  const end = await gate.greeted();
  const list = (id: number) => jsonFrame({ jsonrpc: "2.0", id, method: "nothing" });
  const session = await gate.sessions.next();
  await end.write(Buffer.concat([list(1), list(2), frame(1, Buffer.from([9])), list(3)]));
  assert.match((await session.closed).message, /its id tag is 9/);
  await end.ended;
  assert.ok(end.frames.all.every(({ body }) => JSON.parse(body.toString()).id !== 3));
});
