/** How long a host waits: also longer than the runtimes' timers take, and not once it is closed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/host/clock.ts";
import { Poller } from "../../src/host/poller.ts";
import { within } from "../../src/rpc/within.ts";
import { countedSignal } from "../support/counted_signal.ts";
import { FakeTime } from "../support/fake_time.ts";
import { dhara, hosting } from "../support/hosting.ts";
import { failsWith } from "../support/rejected.ts";

const LONG = [Infinity, 2 ** 31, 1e15];

test("[X-23] a call may wait for a start as long as is asked, also longer than a timer takes", async () => {
  await hosting(async ({ host }) => {
    const starting = host.start(dhara());
    const calls = LONG.map((timeoutMs) => host.execute("echo", {}, { timeoutMs }));
    const strangers = LONG.map((timeoutMs) =>
      failsWith(host.execute("no such tool", {}, { timeoutMs }), "unknown-tool"),
    );
    await starting;
    for (const { isError } of await Promise.all(calls)) assert.equal(isError, false);
    await Promise.all(strangers);
  });
});

test("what is to be done within an endless time, or asked for never, is", async () => {
  const later = () => new Promise<string>((resolve) => setTimeout(resolve, 30, "done"));
  for (const ms of LONG) assert.equal(await within(later(), ms), "done");
  let polls = 0;
  const poll = () => Promise.resolve(void polls++);
  const pollers = [...LONG, Number.NaN, 0].map((ms) => new Poller(ms, () => [{ poll }]));
  for (const poller of pollers) poller.wake();
  await later();
  for (const poller of pollers) poller.stop();
  assert.equal(polls, 0);
});

test("[D2] [D13] a wait that is cut short ends at once and leaves no timer behind, also one that was cut before", async () => {
  await FakeTime.run(async (time) => {
    const HOUR = 3_600_000;
    const controller = new AbortController();
    const waiting = systemClock.sleep(HOUR, controller.signal);
    assert.equal(time.timers, 1);
    controller.abort();
    await waiting;
    await systemClock.sleep(HOUR, controller.signal);
    assert.equal(time.timers, 0);
  });
});

test("[D2] a wait leaves nothing on its signal, whether its time or the signal ended it", async () => {
  const { signal, listeners, abort } = countedSignal();
  await systemClock.sleep(1, signal);
  assert.equal(listeners(), 0);
  const cut = systemClock.sleep(3_600_000, signal);
  assert.equal(listeners(), 1);
  abort();
  await cut;
  assert.equal(listeners(), 0);
});

test("[X-23] [D-13] a wait for a start ends with the call's time, or else its extension's", async () => {
  await hosting(async ({ host }) => {
    const started = failsWith(host.start(dhara({ initialize: "never" }, { timeoutMs: 50 })), "closed");
    const late = async (options: object) => (await failsWith(host.execute("echo", {}, options), "timeout")).message;
    assert.match(await late({ extension: "raw" }), /no extension with the tool 'echo' became ready within 50 ms/);
    assert.match(
      await late({ extension: "raw", timeoutMs: 60 }),
      /no extension with the tool 'echo' became ready within 60 ms/,
    );
    assert.match(await late({ timeoutMs: 70 }), /no extension with the tool 'echo' became ready within 70 ms/);
    await host.close();
    await started;
  });
});
