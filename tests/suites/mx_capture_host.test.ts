/** Framebuffers at the host: what it sends byte for byte, and what its runtime may do (M-03, M-04, X-10, X-18). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { VmRuntime } from "../../src/mx/vm_runtime.ts";
import { Inbox } from "../support/inbox.ts";
import { attachmentBody, frame, framebufferBytes, type Json } from "../support/messages.ts";
import { openGate } from "../support/mx_sessions.ts";

/** Two pixels in BGRX, with four bytes more in the row. */
const PIXELS = Buffer.from("01020300" + "05060700" + "aaaaaaaa", "hex");
const BYTES = framebufferBytes(2, 1, 12, 3, PIXELS);
const RESULT = { encoding: "mxfb0001", byteLength: BYTES.length, width: 2, height: 1 };

const attachment = (id: number | string | bigint, bytes: Uint8Array = BYTES, role = "framebuffer") =>
  frame(1, attachmentBody(id, role, bytes));

function only(runtime: Partial<VmRuntime>): VmRuntime {
  return { list: () => [], capture: () => undefined, ...runtime };
}

test("[M-03] [M-04] [X-10] [X-11] [X-18] a capture is answered by a result and by an attachment with its id, byte for byte", async (t) => {
  const gate = await openGate(t, {
    vms: only({
      capture: (vmId) =>
        vmId === "demo" ? { width: 2, height: 1, stride: 12, format: "bgrx", pixels: PIXELS } : undefined,
    }),
  });
  const end = await gate.greeted();
  for (const id of [0, 1, -5, 9_007_199_254_740_991, "", "1", "ü😀"]) {
    end.send({ jsonrpc: "2.0", id, method: "host.v1.captureFramebuffer", params: { vmId: "demo" } });
    assert.deepEqual(await end.json(), { jsonrpc: "2.0", id, result: RESULT });
    const { kind, body, length } = await end.frames.next();
    assert.equal(kind, 1);
    assert.deepEqual(body, attachmentBody(id, "framebuffer", BYTES));
    assert.equal(length, body.length + 1);
  }
  end.send({ jsonrpc: "2.0", id: "\ud800", method: "host.v1.captureFramebuffer", params: { vmId: "demo" } });
  assert.deepEqual((await end.json()).error, {
    code: -32600,
    message: "the id has a lone surrogate, which the id tag of an attachment can't carry",
  });
  const { error } = await end.ask(2, "host.v1.captureFramebuffer", { vmId: "other" });
  assert.deepEqual(error, { code: -32602, message: 'field `vmId` names no VM: "other"' });
  // An error is not followed by an attachment.
  assert.deepEqual((await end.ask(3, "host.v1.listVms")).result, []);
  end.destroy();
});

test("[M-04] a host drops an attachment that it asked for nothing with, and the session goes on", async (t) => {
  const gate = await openGate(t);
  const early = await gate.connect();
  await early.write(attachment(1));
  early.send(gate.hello());
  assert.ok((await early.json()).result);
  for (const id of [1, "a", 2n ** 60n]) await early.write(attachment(id));
  assert.ok((await early.ask(2, "host.v1.listVms")).result);
  assert.deepEqual(
    gate.diagnostics.all.map(({ code }) => code),
    Array(4).fill("unexpected-attachment"),
  );
  early.destroy();
});

test("[X-18] [M-07] [C25] what a runtime gives or throws that is no picture is an application error of that call", async (t) => {
  const good = { width: 2, height: 1, stride: 8, format: "rgba", pixels: new Uint8Array(8) };
  let next: () => Json = () => good;
  const gate = await openGate(t, { vms: only({ capture: () => next() }) });
  const end = await gate.greeted();
  const released: number[] = [];
  const cases: [make: () => Json, why: RegExp][] = [
    [() => Promise.reject(new Error("it is off")), /VM "demo" can't be captured: it is off/],
    [
      () => ({ ...good, pixels: new Uint8Array(7), release: () => released.push(1) }),
      /VM "demo" can't be shown: .*it has 7/,
    ],
    [() => ({ ...good, width: 0 }), /width must be .*, not 0/],
    [() => ({ ...good, format: "yuv" }), /its format is yuv/],
  ];
  for (const [make, why] of cases) {
    next = make;
    const { error } = await end.ask(4, "host.v1.captureFramebuffer", { vmId: "demo" });
    assert.equal(error.code, -32000);
    assert.match(error.message, why);
  }
  assert.deepEqual(released, [1]);
  // A runtime that fails when it gets its memory back is reported, and hurts nobody.
  next = () => ({
    ...good,
    release: () => {
      throw new Error("freed twice");
    },
  });
  assert.ok((await end.ask(5, "host.v1.captureFramebuffer", { vmId: "demo" })).result);
  assert.equal((await end.frames.next()).kind, 1);
  assert.equal((await gate.diagnostics.next()).message, "a listener failed: freed twice");
  end.destroy();
});

test("[M-04] a picture's memory is given back once, when it has left or can't leave any more", async (t) => {
  const released = new Inbox<string>();
  const waiting = new Inbox<() => void>();
  const gate = await openGate(t, {
    vms: only({
      capture: async (vmId, call) => {
        if (vmId === "slow") {
          assert.equal(call?.signal.aborted, false);
          await new Promise<void>((resolve) => waiting.push(resolve));
          assert.equal(call?.signal.aborted, true);
        }
        return {
          width: 2,
          height: 1,
          stride: 8,
          format: "rgba",
          pixels: new Uint8Array(8),
          release: () => released.push(vmId),
        };
      },
    }),
  });
  const end = await gate.greeted();
  const session = await gate.sessions.next();
  await end.ask(2, "host.v1.captureFramebuffer", { vmId: "quick" });
  assert.equal(await released.next(), "quick");
  end.send({ jsonrpc: "2.0", id: 3, method: "host.v1.captureFramebuffer", params: { vmId: "slow" } });
  const finish = await waiting.next();
  end.destroy();
  await session.closed;
  finish();
  assert.equal(await released.next(), "slow");
  assert.deepEqual(released.all, ["quick", "slow"]);
});
