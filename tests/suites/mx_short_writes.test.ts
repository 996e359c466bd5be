/** Frames through a connection that takes few bytes at a time (B5, B6). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scalarCodec } from "../../codec/scalar.ts";
import { attachmentMessage, readAttachment } from "../../src/mx/attachment.ts";
import { MxClient } from "../../src/mx/extension.ts";
import { MxGate, type MxSession } from "../../src/mx/host.ts";
import type { VmRuntime } from "../../src/mx/vm_runtime.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { nextTurn } from "../../src/rpc/turn.ts";
import { tricklePair } from "../support/trickle_pipe.ts";

test("[B5] a connection that takes 5 bytes a turn gets all bytes of three messages sent at once, one frame at a time", async () => {
  const [left, right] = tricklePair(5);
  const seen: unknown[] = [];
  const done = new Promise<void>((resolve) => {
    const receiver = new Peer(pipeChannel(right, scalarCodec, "frames"), {
      notification: (method, params) => void seen.push([method, params]),
      binary: (body, offset) => {
        seen.push(readAttachment(body, offset));
        if (seen.length === 4) resolve();
      },
      diagnostic: ({ message }) => assert.fail(message),
    });
    assert.ok(receiver);
  });
  const sender = new Peer(pipeChannel(left, scalarCodec, "frames"));
  const bytes = Uint8Array.from({ length: 333 }, (_, i) => i);
  void sender.notify("first", { text: "ü😀".repeat(20) });
  void sender.sendBinary(attachmentMessage(7, "framebuffer", [bytes.subarray(0, 100), bytes.subarray(100)]));
  // Made while the others are on their way, which takes them a hundred turns.
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => nextTurn(resolve));
  assert.ok(seen.length < 2);
  void sender.notify("second", [1, 2, 3]);
  void sender.sendBinary(attachmentMessage("x", "other", []));
  await done;
  assert.deepEqual(seen, [
    ["first", { text: "ü😀".repeat(20) }],
    { id: 7, role: "framebuffer", bytes },
    ["second", [1, 2, 3]],
    { id: "x", role: "other", bytes: new Uint8Array(0) },
  ]);
  assert.ok(left.writes <= 3, `${left.writes} writes`);
});

test("[B5] [M-04] sendBinary settles when the bytes have left and not before, so that their memory can be used again", async () => {
  const [left, right] = tricklePair(64);
  const bodies: number[] = [];
  new Peer(pipeChannel(right, scalarCodec, "frames"), { binary: (body) => void bodies.push(...new Set(body)) });
  const sender = new Peer(pipeChannel(left, scalarCodec, "frames"));
  const memory = new Uint8Array(1_000);
  for (let i = 1; i <= 5; i++) {
    memory.fill(i);
    await sender.sendBinary([memory]);
  }
  await sender.close();
  assert.deepEqual(bodies, [1, 2, 3, 4, 5]);
  await assert.rejects(sender.sendBinary([memory]), { code: "closed" });
});

test("[B6] [M-04] 50 captures, 50 lists, and what the host asks and tells all get through a slow connection whole", async () => {
  const [hostPipe, extensionPipe] = tricklePair(700);
  let captures = 0;
  const free: Uint8Array[] = [];
  const vms: VmRuntime = {
    list: () => [{ id: "a", name: "é".repeat(200) }],
    capture() {
      // The same few buffers again and again: nothing may change before it has left.
      const pixels = free.pop() ?? new Uint8Array(16 * 16 * 4);
      pixels.fill(captures++);
      return { width: 16, height: 16, stride: 64, format: "rgba", pixels, release: () => free.push(pixels) };
    },
  };
  let session: MxSession | undefined;
  const gate = new MxGate({
    id: "a",
    codec: scalarCodec,
    vms,
    onSession: (made) => (session = made),
    onDiagnostic: ({ message }) => assert.fail(message),
  });
  gate.accept(hostPipe);
  const client = await MxClient.connect(pipeChannel(extensionPipe, scalarCodec, "frames"), {
    id: "a",
    token: gate.environment("x").MX_EXTENSION_TOKEN,
    codec: scalarCodec,
    status: () => ({ state: "ready", message: "ü".repeat(300) }),
    onDiagnostic: ({ message }) => assert.fail(message),
  });
  const work: Promise<unknown>[] = [];
  const seen: number[] = [];
  for (let i = 0; i < 50; i++) {
    work.push(
      client.captureFramebuffer("a").then(({ rgba, release }) => {
        assert.equal(new Set(rgba).size, 1);
        seen.push(rgba[0]!);
        release();
      }),
      client.listVms().then((list) => assert.equal(list[0]!.name, "é".repeat(200))),
      client.peer.notify("note", { i }),
      session!.peer.notify("note", { text: "x".repeat(i * 40) }),
    );
    if (i % 5 === 0) work.push(session!.reportStatus().then(({ message }) => assert.equal(message, "ü".repeat(300))));
  }
  await Promise.all(work);
  assert.deepEqual(
    seen,
    Array.from({ length: 50 }, (_, i) => i),
  );
  assert.ok(free.length <= 5, `${free.length} buffers`);
  await client.close();
  await gate.close();
});
