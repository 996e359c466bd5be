/** A use at the moment when an extension ends: nobody who was there before is told less, and it is started again as after it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionHandle } from "../../src/host/handle.ts";
import { FakeTime } from "../support/fake_time.ts";
import { dhara, hosting, mx, wrapped } from "../support/hosting.ts";
import { failsWith } from "../support/rejected.ts";

/** Its connection is gone, and that is not told yet. */
async function unusable(handle: ExtensionHandle): Promise<void> {
  while (handle.peer !== undefined) await new Promise(setImmediate);
}

for (const restart of [true, false]) {
  test(`[X-19] a call as its extension dies costs those in flight nothing of why, with restart: ${restart}`, async () => {
    for (const hold of ["", "setsid sleep 2 & "]) {
      await hosting(async ({ host, events }) => {
        const handle = await host.start(wrapped(`${hold}exec "$@"`, dhara({}, { restart })));
        const before = failsWith(host.execute("die", { code: 7, stderr: "it hurts" }), "exited");
        await unusable(handle);
        const late = restart ? host.execute("echo") : failsWith(host.execute("echo"), "exited");
        assert.deepEqual([(await before).exitCode, (await before).stderr], [7, "it hurts"]);
        await late;
        const exits = events.filter((event) => event.type === "exit");
        assert.deepEqual(exits, [{ type: "exit", extension: "raw", code: 7, signal: null, expected: false }]);
        assert.equal(handle.snapshot().restarts, restart ? 1 : 0);
      });
    }
  });
}

test("[X-14] [X-19] MX: a question between two connections waits for the second and ends nothing", async () => {
  await hosting(
    async ({ host, events, until }) => {
      const handle = await host.start(mx({ redialAfter: 1, dialsOnce: "until-told" }));
      await until((event) => event.type === "state" && event.state === "degraded");
      await FakeTime.run(async (time) => {
        const asked = handle.reportStatus();
        const back = events.length;
        process.kill(handle.snapshot().pid ?? 0, "SIGUSR2");
        await until((event) => event.type === "state" && event.state === "ready" && events.indexOf(event) >= back);
        await time.pass(1_000);
        assert.equal((await asked).state, "ready");
      });
      assert.ok(!events.some((event) => event.type === "exit"));
    },
    { statusIntervalMs: 0 },
  );
});

test("[X-19] MX: a question to one that lives on without a connection ends it, as one that failed", async () => {
  await hosting(
    async ({ host, events, until }) => {
      const handle = await host.start(mx({ redialAfter: 1, dialsOnce: true }));
      await until((event) => event.type === "state" && event.state === "degraded");
      // Its successor closes its connection as early.
      await handle.reportStatus().catch(() => {});
      const exits = events.flatMap((event) => (event.type === "exit" ? [event.expected] : []));
      assert.deepEqual([exits, handle.snapshot().restarts], [[false], 1]);
    },
    { statusIntervalMs: 0 },
  );
});
