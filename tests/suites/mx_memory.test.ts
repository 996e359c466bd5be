/** Whose memory a framebuffer lies in, and how much of it waits (M-04, X-06), by a host that lends the memory of its attachments. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scalarCodec as codec } from "../../codec/scalar.ts";
import { attachmentMessage } from "../../src/mx/attachment.ts";
import { MxClient, type MxClientOptions } from "../../src/mx/extension.ts";
import { framebufferParts } from "../../src/mx/framebuffer.ts";
import { joined } from "../../src/rpc/bytes.ts";
import { HandChannel } from "../support/hand_channel.ts";
import { rejected } from "../support/rejected.ts";

const PIXELS = { width: 2, height: 1, stride: 8, pixels: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) };
const TIGHT = joined(framebufferParts({ ...PIXELS, format: "rgba" }));
const SWAPPED = joined(framebufferParts({ ...PIXELS, format: "bgra" }));
const RESULT = { encoding: "mxfb0001", byteLength: TIGHT.length };

async function extending(options: Partial<MxClientOptions> = {}) {
  const host = new HandChannel();
  const told: string[] = [];
  const onDiagnostic = ({ message }: { message: string }) => void told.push(message);
  const connecting = MxClient.connect(host, { id: "a", token: "a token", codec, onDiagnostic, ...options });
  const answer = (id: number, result: unknown) => host.says(JSON.stringify({ jsonrpc: "2.0", id, result }));
  answer(1, { protocolVersion: 1, hostCapabilities: [], sessionId: "a-0" });
  const client = await connecting;
  /** How often the memory of each attachment was given back. */
  const back: number[] = [];
  const attach = (id: number | string, bytes: Uint8Array) => {
    const at = back.push(0) - 1;
    host.receiver?.binary(joined(attachmentMessage(id, "framebuffer", [bytes])), 0, () => void back[at]!++);
  };
  const capture = (signal?: AbortSignal) => {
    const captured = client.captureFramebuffer("demo", { signal });
    captured.catch(() => {});
    return { captured, id: host.messages.at(-1).id as number };
  };
  return { client, told, back, attach, answer, capture };
}

test("[M-04] the memory of an attachment is given back once: when it was copied, when it is released, and when nobody wants it", async () => {
  const { client, told, back, attach, answer, capture } = await extending({
    limits: { maxWaitingAttachmentBytes: TIGHT.length },
  });
  const copied = capture();
  answer(copied.id, RESULT);
  attach(copied.id, SWAPPED);
  const swapped = await copied.captured;
  assert.deepEqual(back.splice(0), [1], "copied");

  const lent = capture();
  attach(lent.id, TIGHT);
  attach(lent.id, TIGHT);
  answer(lent.id, RESULT);
  const { rgba, release } = await lent.captured;
  assert.deepEqual(back, [0, 1], "lent, and sent twice");
  assert.deepEqual(rgba, PIXELS.pixels);
  release();
  release();
  swapped.release();
  assert.deepEqual(back.splice(0), [1, 1], "released");

  const wrong = capture();
  answer(wrong.id, { ...RESULT, byteLength: 1 });
  attach(wrong.id, TIGHT);
  await rejected(wrong.captured);
  attach(wrong.id, TIGHT);
  const [waiting, tooMuch] = [capture(), capture()];
  attach(waiting.id, TIGHT);
  attach(tooMuch.id, TIGHT);
  answer(tooMuch.id, RESULT);
  assert.equal((await rejected(tooMuch.captured)).code, "limit");
  answer(waiting.id, { ...RESULT, byteLength: 1 });
  await rejected(waiting.captured);
  assert.deepEqual(back.splice(0), [1, 1, 1, 1], "wrong, late, too much");
  assert.deepEqual(told, []);

  attach("1", TIGHT);
  assert.deepEqual([back.splice(0), told.length], [[1], 1], "nobody's");
  const left = capture();
  attach(left.id, TIGHT);
  await client.close();
  await rejected(left.captured);
  assert.deepEqual(back, [1], "left over");
});

test("[X-06] what waits for its result is counted to the byte, however many came before and whatever comes in one turn", async () => {
  const { client, attach, answer, capture } = await extending({
    limits: { maxWaitingAttachmentBytes: TIGHT.length },
  });
  for (let i = 0; i < TIGHT.length; i++) {
    // The second one waits in the place of the first, whose result has just come.
    const calls = [capture(), capture()];
    for (const { id } of calls) {
      attach(id, TIGHT);
      answer(id, RESULT);
    }
    for (const { captured } of calls) (await captured).release();
  }
  const [one, another] = [capture(), capture()];
  attach(one.id, TIGHT);
  attach(another.id, TIGHT.subarray(0, 1));
  answer(another.id, RESULT);
  answer(one.id, RESULT);
  assert.equal((await rejected(another.captured)).code, "limit");
  assert.equal((await one.captured).width, 2);
  await client.close();
});
