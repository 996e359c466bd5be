/** Framebuffers at the extension: results and attachments in every order, and what is wrong with them (M-04, X-11). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scalarCodec } from "../../codec/scalar.ts";
import { MxClient, type MxClientOptions } from "../../src/mx/extension.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { Inbox } from "../support/inbox.ts";
import { attachmentBody, frame, framebufferBytes, type Json, jsonFrame } from "../support/messages.ts";
import { ID } from "../support/mx.ts";
import { ok, openHost } from "../support/mx_sessions.ts";

interface Context {
  after(fn: () => unknown): void;
}

/** Two pixels in BGRX, with four bytes more in the row. */
const PIXELS = Buffer.from("01020300" + "05060700" + "aaaaaaaa", "hex");
const BYTES = framebufferBytes(2, 1, 12, 3, PIXELS);
const RGBA = "030201ff" + "070605ff";
const HELLO = { protocolVersion: 1, hostCapabilities: ["runtime.v1"], sessionId: `${ID}-0` };
const RESULT = { encoding: "mxfb0001", byteLength: BYTES.length, width: 2, height: 1 };

async function extending(t: Context, options: Partial<MxClientOptions> = {}) {
  const host = await openHost(t);
  const session = await host.session(options);
  t.after(() => session.client.close());
  const { end, client } = session;
  /** Starts a capture and gives the id that the host sees. */
  const capture = async (captureOptions = {}) => {
    const captured = client.captureFramebuffer("demo", captureOptions);
    captured.catch(() => {});
    const request = await end.json();
    assert.equal(request.method, "host.v1.captureFramebuffer");
    return { captured, id: request.id as number };
  };
  return { client, end, capture };
}

const result = (id: number, value: Json = RESULT) => jsonFrame({ jsonrpc: "2.0", id, result: value });
const attachment = (id: number | string | bigint, bytes: Uint8Array = BYTES, role = "framebuffer") =>
  frame(1, attachmentBody(id, role, bytes));

test("[M-04] the result and the attachment come in either order, with anything between them, cut anywhere", async (t) => {
  const { end, capture } = await extending(t);
  const between = jsonFrame({ jsonrpc: "2.0", method: "note" });
  for (const order of [
    ["result", "attachment"],
    ["attachment", "result"],
  ] as const) {
    for (const cut of [1, 3, 30, 90, 120, 10_000]) {
      const { captured, id } = await capture();
      const parts = { result: result(id), attachment: attachment(id) };
      const bytes = Buffer.concat([parts[order[0]], between, parts[order[1]]]);
      await end.write(bytes.subarray(0, cut));
      await end.write(bytes.subarray(cut));
      const { width, height, rgba, release } = await captured;
      assert.deepEqual([width, height, Buffer.from(rgba).toString("hex")], [2, 1, RGBA]);
      release();
    }
  }
});

test("[M-04] several captures are in flight, and each gets its own picture", async (t) => {
  const { end, capture } = await extending(t);
  const calls = [await capture(), await capture(), await capture(), await capture()];
  const bytes = calls.map((_, index) => framebufferBytes(1, 1, 4, 0, Buffer.from([index, 0, 0, 255])));
  const small = { encoding: "mxfb0001", byteLength: 28 };
  const frames = calls.flatMap(({ id }, index) => [attachment(id, bytes[index]), result(id, small)]);
  // All attachments backwards, then all results forwards.
  const pick = [6, 4, 2, 0, 1, 3, 5, 7];
  await end.write(Buffer.concat(pick.map((index) => frames[index]!)));
  const reds = await Promise.all(calls.map(async ({ captured }) => (await captured).rgba[0]));
  assert.deepEqual(reds, [0, 1, 2, 3]);
});

test("[M-04] [X-11] tight RGBA is handed out as it came, and any other format and stride is made so", async (t) => {
  const { end, capture } = await extending(t);
  for (const [format, want] of [
    [0, "01020304"],
    [1, "03020104"],
    [2, "010203ff"],
    [3, "030201ff"],
  ] as const) {
    for (const stride of [4, 5, 64]) {
      const { captured, id } = await capture();
      const pixels = Buffer.alloc(stride * 2, Buffer.from("01020304", "hex"));
      pixels.set(Buffer.from("01020304", "hex"), stride);
      const bytes = framebufferBytes(1, 2, stride, format, pixels);
      await end.write(
        Buffer.concat([result(id, { encoding: "mxfb0001", byteLength: bytes.length }), attachment(id, bytes)]),
      );
      const { rgba, height } = await captured;
      assert.deepEqual([height, Buffer.from(rgba).toString("hex")], [2, want + want]);
    }
  }
});

test("[M-04] bytes that are not what the result says are a protocol error of that call alone", async (t) => {
  const { end, capture, client } = await extending(t);
  const cases: [value: Json, bytes: Buffer, why: RegExp][] = [
    [
      { ...RESULT, byteLength: BYTES.length + 1 },
      BYTES,
      /^the framebuffer does not match its result: byteLength is 37, but 36 bytes came/,
    ],
    [{ ...RESULT, byteLength: 0 }, BYTES, /byteLength is 0, but 36 bytes came/],
    [{ ...RESULT, width: 3 }, BYTES, /^the framebuffer does not match its result: 3 x 1 pixels, but 2 x 1 came/],
    [{ ...RESULT, height: 2 }, BYTES, /2 x 2 pixels, but 2 x 1 came/],
    [{ ...RESULT, byteLength: 3 }, Buffer.from("abc"), /3 bytes are fewer than the 24/],
  ];
  for (const [value, bytes, why] of cases) {
    for (const attachmentFirst of [false, true]) {
      const { captured, id } = await capture();
      const parts = [result(id, value), attachment(id, bytes)];
      await end.write(Buffer.concat(attachmentFirst ? parts.reverse() : parts));
      await assert.rejects(captured, (error: Json) => error.code === "protocol" && why.test(error.message));
    }
  }
  for (const [value, why] of [
    [{ ...RESULT, encoding: "png" }, /`encoding` must be one of mxfb0001/],
    [{ encoding: "mxfb0001" }, /`byteLength` is missing/],
    [{ ...RESULT, byteLength: -1 }, /`byteLength` must be a size, not -1/],
    [{ ...RESULT, byteLength: 36.5 }, /`byteLength` must be a size, not 36\.5/],
    [{ ...RESULT, byteLength: "36" }, /`byteLength` must be a size, not a string/],
    [{ ...RESULT, width: null }, /`width` must be a size, not null/],
    [null, /^the result of host\.v1\.captureFramebuffer is not valid: it must be an object, not null$/],
  ] as const) {
    const { captured, id } = await capture();
    // Its attachment finds nobody any more, and hurts nobody.
    await end.write(Buffer.concat([result(id, value), attachment(id)]));
    await assert.rejects(captured, (error: Json) => error.code === "protocol" && why.test(error.message));
  }
  const { captured, id } = await capture();
  await end.write(Buffer.concat([result(id), attachment(id)]));
  assert.equal(Buffer.from((await captured).rgba).toString("hex"), RGBA);
  assert.equal(client.peer.pending, 0);
});

test("[M-04] [X-04] [C3] an attachment that nobody waits for is dropped: unknown, finished, aborted, of another id type or role", async (t) => {
  const diagnostics = new Inbox<{ code: string; message: string }>();
  const { end, capture } = await extending(t, { onDiagnostic: diagnostics.push });
  // No request of ours: these are told.
  await end.write(Buffer.concat([attachment(99), attachment(0), attachment("x"), attachment(2n ** 62n)]));
  for (const id of ["99", "0", '"x"', String(2n ** 62n)]) {
    const { code, message } = await diagnostics.next();
    assert.equal(code, "unexpected-attachment");
    assert.ok(message.includes(`id ${id} matches no request and was dropped`), message);
  }
  const aborting = new AbortController();
  const aborted = await capture({ signal: aborting.signal });
  aborting.abort(new Error("enough"));
  await assert.rejects(aborted.captured, /enough/);
  const failed = await capture();
  end.send({ jsonrpc: "2.0", id: failed.id, error: { code: -32602, message: "no such VM" } });
  await assert.rejects(failed.captured, { code: -32602 });
  const { captured, id } = await capture();
  // Late ones make no noise; "4" is not 4, and another role is not a framebuffer.
  await end.write(
    Buffer.concat([
      attachment(aborted.id),
      result(aborted.id),
      attachment(failed.id),
      attachment(String(id)),
      attachment(id, BYTES, "thumbnail"),
      result(id),
      attachment(id),
      attachment(id),
    ]),
  );
  assert.equal(Buffer.from((await captured).rgba).toString("hex"), RGBA);
  const told = [await diagnostics.next(), await diagnostics.next()];
  assert.match(told[0]!.message, new RegExp(`id "${id}"`));
  assert.match(told[1]!.message, /role "thumbnail"/);
  assert.equal(diagnostics.size, 0);
});

test("[M-04] [C20] a capture whose attachment does not come times out, can be aborted, and ends with the connection", async (t) => {
  // Over a pair in memory, where the half that comes is there before any timer.
  const [ours, theirs] = memoryPair();
  const halves = [
    (id: number) => JSON.stringify(ok(id, RESULT)),
    (id: number) => [attachmentBody(id, "framebuffer", BYTES)],
  ];
  theirs.open({
    text(text) {
      const { id, method } = JSON.parse(text);
      theirs.send(method === "host.v1.hello" ? JSON.stringify(ok(id, HELLO)) : halves.shift()!(id));
    },
    binary() {},
    diagnostic() {},
    closed() {},
  });
  const near = await MxClient.connect(ours, { id: ID, token: "a token", codec: scalarCodec });
  await assert.rejects(near.captureFramebuffer("demo", { timeoutMs: 40 }), {
    code: "timeout",
    message: /the result arrived, but the framebuffer did not: .*captureFramebuffer within 40 ms/,
  });
  await assert.rejects(near.captureFramebuffer("demo", { timeoutMs: 40 }), {
    code: "timeout",
    message: /^no answer to host\.v1\.captureFramebuffer within 40 ms/,
  });
  assert.deepEqual(halves, []);
  await near.close();

  const { end, capture, client } = await extending(t);
  const aborting = new AbortController();
  const aborted = await capture({ signal: aborting.signal });
  await end.write(result(aborted.id));
  await end.ask(1, "extension.v1.reportStatus");
  aborting.abort(new Error("enough"));
  await assert.rejects(aborted.captured, /enough/);

  const left = await capture({ timeoutMs: 0 });
  await end.write(result(left.id));
  await end.ask(2, "extension.v1.reportStatus");
  end.destroy();
  const reason = await client.closed;
  await assert.rejects(left.captured, (error) => error === reason);
});

test("[X-06] attachments that wait for their result are bounded, and the call past the limit fails with its name", async (t) => {
  const { end, capture } = await extending(t, { limits: { maxWaitingAttachmentBytes: BYTES.length * 2 } });
  const [first, second, third] = [await capture(), await capture(), await capture()];
  await end.write(Buffer.concat([first, second, third].map(({ id }) => attachment(id))));
  // An attachment whose result is there does not wait, though it comes in the same write.
  const fourth = await capture();
  await end.write(Buffer.concat([result(fourth.id), attachment(fourth.id)]));
  assert.equal((await fourth.captured).width, 2);
  await end.write(Buffer.concat([first, second, third].map(({ id }) => result(id))));
  const tooMuch = {
    code: "limit",
    message:
      "host.v1.captureFramebuffer failed: its attachment of 36 bytes came before its result, and the waiting ones would exceed maxWaitingAttachmentBytes (72 bytes)",
  };
  await assert.rejects(third.captured, tooMuch);
  for (const { captured } of [first, second]) assert.equal((await captured).width, 2);
  // The place of those that came and went is free again.
  const [fifth, sixth] = [await capture(), await capture()];
  await end.write(Buffer.concat([attachment(fifth.id), attachment(sixth.id), result(sixth.id), result(fifth.id)]));
  assert.equal((await fifth.captured).width, 2);
  assert.equal((await sixth.captured).width, 2);
  // Neither do those of a call that was given up keep one, nor a second one of one call.
  for (const isLate of [false, true]) {
    const aborting = new AbortController();
    const { captured, id } = await capture({ signal: aborting.signal });
    if (!isLate) await end.write(attachment(id));
    await end.ask(1, "extension.v1.reportStatus");
    aborting.abort(new Error("enough"));
    await assert.rejects(captured, /enough/);
    if (isLate) await end.write(attachment(id));
  }
  const twice = await capture();
  await end.write(Buffer.concat([attachment(twice.id), attachment(twice.id, Buffer.alloc(0)), result(twice.id)]));
  assert.equal((await twice.captured).width, 2);
  const last = [await capture(), await capture(), await capture()];
  await end.write(Buffer.concat([attachment, result].flatMap((half) => last.map(({ id }) => half(id)))));
  await assert.rejects(last[2]!.captured, tooMuch);
  for (const { captured } of last.slice(0, 2)) assert.equal((await captured).width, 2);
});

test("[M-04] a steady stream of framebuffers whose memory is given back uses the same memory again", async (t) => {
  const { end, capture } = await extending(t);
  const seen = new Set<ArrayBufferLike>();
  for (const [format, stride] of [
    [3, 12],
    [0, 8],
  ] as const) {
    seen.clear();
    const bytes = framebufferBytes(2, 1, stride, format, PIXELS.subarray(0, stride));
    for (let i = 0; i < 20; i++) {
      const { captured, id } = await capture();
      await end.write(
        Buffer.concat([result(id, { encoding: "mxfb0001", byteLength: bytes.length }), attachment(id, bytes)]),
      );
      const { rgba, release } = await captured;
      seen.add(rgba.buffer);
      release();
      release();
    }
    assert.ok(seen.size <= 2, `${seen.size} buffers`);
  }
});

test("[M-04] memory that was not given back stays as it is", async (t) => {
  const { end, capture } = await extending(t);
  const kept: Uint8Array[] = [];
  for (let i = 0; i < 5; i++) {
    const { captured, id } = await capture();
    const bytes = framebufferBytes(1, 1, 4, i % 2 === 0 ? 0 : 1, Buffer.from([i, i, i, i]));
    await end.write(Buffer.concat([attachment(id, bytes), result(id, { encoding: "mxfb0001", byteLength: 28 })]));
    kept.push((await captured).rgba);
  }
  assert.deepEqual(
    kept.map((rgba) => rgba[0]),
    [0, 1, 2, 3, 4],
  );
});
