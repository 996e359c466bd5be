/** A use at the moment when an extension ends: nobody who was there before is told less, and it is started again as after it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { node } from "../../src/adapters/node.ts";
import type { ExtensionHandle } from "../../src/host/handle.ts";
import { Host } from "../../src/host/host.ts";
import type { ExtensionProcess } from "../../src/host/platform.ts";
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
        const pids: unknown[] = [];
        const off = host.on(({ type }) => {
          if (type === "exit") pids.push(handle.snapshot().pid);
        });
        const before = failsWith(host.execute("die", { code: 7, stderr: "it hurts" }), "exited");
        await unusable(handle);
        const late = restart ? host.execute("echo") : failsWith(host.execute("echo"), "exited");
        assert.deepEqual([(await before).exitCode, (await before).stderr], [7, "it hurts"]);
        await late;
        off();
        assert.deepEqual(pids, [undefined]);
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
      const degraded = await until((event) => event.type === "state" && event.state === "degraded");
      assert.ok(degraded.type === "state");
      assert.match(degraded.message ?? "", /^its connection ended, and it has not reconnected yet: /);
      // Its successor closes its connection as early.
      await handle.reportStatus().catch(() => {});
      const exits = events.flatMap((event) => (event.type === "exit" ? [event.expected] : []));
      assert.deepEqual([exits, handle.snapshot().restarts], [[false], 1]);
    },
    { statusIntervalMs: 0 },
  );
});

test("[M-19] MX: one that calls itself failed is told to be stopping as any other that runs", async () => {
  await hosting(async ({ host, events }) => {
    const handle = await host.start(mx({ status: [{ state: "failed", message: "no device" }] }));
    await handle.stop();
    assert.deepEqual(
      events.flatMap((event) => (event.type === "state" ? [[event.state, event.message]] : [])),
      [
        ["starting", undefined],
        ["failed", "no device"],
        ["stopping", undefined],
        ["stopped", "exited with code 0"],
      ],
    );
  });
});

test("[X-20] a stop ends also where the system does not let go of a process", async () => {
  const platform = node();
  const kept: ExtensionProcess[] = [];
  const host = new Host({
    ...platform,
    async spawn(options) {
      const process = await platform.spawn(options);
      kept.push(process);
      const never = new Promise<never>(() => {});
      return {
        pid: process.pid,
        stdio: process.stdio,
        onStderr: (listener) => process.onStderr(listener),
        exited: never,
        drained: never,
        kill() {},
      };
    },
  });
  const handle = await host.start(dhara({ ignoreEnd: true, shutdown: "ignore" }));
  await FakeTime.run(async (time) => {
    const stopped = handle.stop();
    await time.pass(30_500);
    // What is left of it are its pipes.
    await time.pass(1_000);
    await stopped;
  });
  assert.deepEqual([handle.state, handle.snapshot().lastExit], ["stopped", undefined]);
  for (const process of kept) process.kill("SIGKILL");
  await Promise.all(kept.map(({ exited }) => exited));
  await host.close();
});
