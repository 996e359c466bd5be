/** The mistakes of whoever writes an MX extension with the SDK. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeTime } from "../support/fake_time.ts";
import { frame, jsonFrame } from "../support/messages.ts";
import { extending, hosting, openGate } from "../support/mx_sessions.ts";

const WRONG: readonly [status: unknown, why: string][] = [
  [undefined, "the status is not valid: it must be an object, not nothing"],
  [{ message: "" }, "the status is not valid: field `state` is missing: it must be one of ready, degraded, failed"],
  [
    { state: "ok", message: "" },
    'the status is not valid: field `state` must be one of ready, degraded, failed, not "ok"',
  ],
  [
    { state: 5, message: "" },
    "the status is not valid: field `state` must be one of ready, degraded, failed, not a number",
  ],
  [{ state: "ready", message: 5 }, "the status is not valid: field `message` must be a string, not a number"],
];

test("[M-18] setStatus throws what is wrong with a status, and the one before it stays", async (t) => {
  const { client, end } = await extending(t);
  client.setStatus({ state: "degraded", message: "warming up" });
  for (const [status, message] of WRONG)
    assert.throws(() => client.setStatus(status as never), { name: "TypeError", message });
  const { state, message } = (await end.ask(1, "extension.v1.reportStatus", null)).result;
  assert.deepEqual([state, message], ["degraded", "warming up"]);
});

test("[M-18] a status callback that returns none is a failure that says what is wrong", async (t) => {
  let given: unknown;
  const { end } = await extending(t, { status: () => given as never });
  for (const [i, [status, why]] of WRONG.entries()) {
    given = status;
    const { state, message } = (await end.ask(i + 1, "extension.v1.reportStatus", null)).result;
    assert.deepEqual([state, message], ["failed", why]);
  }
});

test("[M-01] [X-14] a hello whose length is too small is refused with a hint at that, and nothing of it is shown", async (t) => {
  const gate = await openGate(t);
  const end = await gate.connect();
  const hello = jsonFrame(gate.hello());
  hello[3]!--;
  await end.write(hello);
  const why = "invalid JSON in the message at offset 0, which ends too early: a } is missing";
  assert.deepEqual((await end.json()).error, { code: -32700, message: why });
  assert.equal((await gate.refused.next()).message, `${why}: (not shown: it may hold a secret)`);
});

test("[M-01] [M-17] a status in a frame whose length is too large is late, and how much of it came is told", async (t) => {
  const { end, gate, session } = await hosting(t);
  await FakeTime.run(async (time) => {
    const message = /within 1000 ms \(it was sent\); the frame at byte \d+ is incomplete: 7 of 104 bytes have arrived$/;
    const late = assert.rejects(session.reportStatus(1_000), { code: "timeout", message });
    await end.json();
    // It is told when the first frame is skipped, and then the bytes behind it have come too.
    await end.write(Buffer.concat([frame(9, "skipped"), Uint8Array.of(0, 0, 0, 100, 0, 0x7b, 0x22)]));
    await gate.diagnostics.next();
    await time.pass(1_000);
    await late;
  });
});
