/** How extensions that died come back: on their next use, later and later, and in the end not at all. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { node } from "../../src/adapters/node.ts";
import { Backoff } from "../../src/host/backoff.ts";
import type { Clock } from "../../src/host/clock.ts";
import { Host } from "../../src/host/host.ts";
import { dhara, hosting, mx } from "../support/hosting.ts";
import { failsWith } from "../support/rejected.ts";

/** Time that passes at once, and is written down. */
function fakeClock(): Clock & { readonly slept: number[]; pass(ms: number): void } {
  // A machine that has run for long.
  let now = 1_000_000;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    pass(ms) {
      now += ms;
    },
    sleep(ms) {
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

/** Time that stands still: who sleeps does so until `wake`, however busy the machine is. */
function stillClock(): Clock & { wake(): void } {
  let wake = () => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  return {
    now: () => 1_000,
    sleep: (_ms, signal) =>
      Promise.race([woken, new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()))]),
    wake: () => wake(),
  };
}

/** Time that only an abort moves on. */
const ENDLESS: Clock = {
  now: () => 1_000,
  sleep: (_ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) resolve();
      else signal?.addEventListener("abort", () => resolve());
    }),
};

describe("starting again", () => {
  test("[D13] a stop from inside the event of a start ends it, before there is a process and while it waits", async () => {
    for (const manifest of [dhara(), mx()]) {
      const stops: Promise<void>[] = [];
      const host = new Host(node(), {
        onEvent: ({ extension, ...event }) => {
          if (event.type === "state" && event.state === "starting") stops.push(host.stop(extension));
        },
      });
      await failsWith(host.start(manifest), "closed");
      await Promise.all(stops);
      const [{ state, pid, lastExit } = assert.fail("it is known")] = host.extensions();
      assert.deepEqual([stops.length, state, pid, lastExit], [1, "stopped", undefined, undefined]);
      await host.close();
    }

    const waits: Promise<void>[] = [];
    const host = new Host(node(), {
      clock: ENDLESS,
      onEvent: ({ extension, ...event }) => {
        if (event.type === "state" && event.message?.startsWith("waits")) waits.push(host.stop(extension));
      },
    });
    const handle = await host.start(dhara());
    await failsWith(handle.execute("die"), "exited");
    await failsWith(handle.execute("echo"), "closed");
    await Promise.all(waits);
    assert.deepEqual([waits.length, handle.state, handle.snapshot().restarts], [1, "stopped", 0]);
    await host.close();
  });

  test("[X-19] the wait doubles from 0.5 s to 30 s, and five failures in a row are enough", () => {
    const backoff = new Backoff();
    assert.equal(backoff.delay(0), 0);
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      assert.equal(backoff.exhausted, i >= 5);
      backoff.failed(1_000, 0);
      waits.push(backoff.delay(1_000));
    }
    assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    assert.equal(backoff.delay(1_000 + 29_000), 1_000);
    assert.equal(backoff.delay(100_000), 0);
    backoff.failed(100_000, 30_000);
    assert.equal(backoff.delay(100_000), 500);
    backoff.succeeded();
    assert.equal(backoff.delay(100_000), 0);
  });

  test("[X-19] each use after a death starts it again, later and later; after five it is failed, and says why", async () => {
    const clock = fakeClock();
    await hosting(
      async ({ host, events }) => {
        const handle = await host.start(dhara());
        for (let i = 0; i < 5; i++) {
          const error = await failsWith(host.execute("die", { code: 9, stderr: `death ${i}` }), "exited");
          assert.equal(error.exitCode, 9);
        }
        assert.deepEqual(clock.slept, [500, 1_000, 2_000, 4_000]);
        const error = await failsWith(host.execute("echo"), "failed");
        assert.match(
          error.message,
          /^extension 'raw' failed 5 times in a row and is not restarted automatically any more; call start to try again: .+exited with code 9\.\nIts last lines on stderr:\n {4}death 4$/s,
        );
        assert.deepEqual([error.exitCode, error.stderr, error.extension], [9, "death 4", "raw"]);
        assert.equal((error.cause as { code?: string }).code, "exited");
        const { state, message, restarts } = handle.snapshot();
        assert.deepEqual([state, restarts], ["failed", 4]);
        assert.match(
          message ?? "",
          /^failed 5 times in a row and is not restarted automatically any more: .+death 4$/s,
        );
        assert.equal(events.filter((event) => event.type === "exit").length, 5);
        // Whoever asks for it outright begins anew.
        await handle.restart();
        await failsWith(host.execute("die", { code: 8 }), "exited");
        assert.deepEqual(handle.snapshot().lastExit, { code: 8, signal: null });
        assert.equal((await host.execute("echo")).isError, false);
        assert.equal(handle.snapshot().message, undefined);
        assert.deepEqual(clock.slept, [500, 1_000, 2_000, 4_000, 500]);
      },
      { clock },
    );
  });

  test("[X-19] a start that fails counts, an answer sets the count back, and so does a long good run", async () => {
    const clock = fakeClock();
    await hosting(
      async ({ host }) => {
        const die = () => failsWith(host.execute("die", { code: 1 }), "exited");
        await host.start(dhara());
        await die();
        await die();
        assert.equal((await host.execute("echo")).isError, false);
        await die();
        assert.deepEqual(clock.slept, [500, 1_000]);
        await host.execute("echo").then(() => clock.pass(29_999));
        await die();
        assert.deepEqual(clock.slept, [500, 1_000, 500]);
        // Whose wait is over already is started at once.
        clock.pass(1_000);
        await host.execute("echo");
        assert.deepEqual(clock.slept, [500, 1_000, 500]);
      },
      { clock },
    );
  });

  test("[X-19] many uses wait for one start, and a wait that takes too long or is aborted ends alone", async () => {
    const clock = stillClock();
    await hosting(
      async ({ host, events }) => {
        await host.start(dhara());
        await failsWith(host.execute("die", { code: 1 }), "exited");
        const controller = new AbortController();
        const calls = Promise.all([host.execute("echo", { n: 1 }), host.execute("echo", { n: 2 })]);
        const early = [
          failsWith(host.execute("echo", {}, { timeoutMs: 50 }), "timeout"),
          assert.rejects(host.execute("echo", {}, { signal: controller.signal }), /enough/),
        ];
        controller.abort(new Error("enough"));
        await Promise.all(early);
        clock.wake();
        for (const { isError } of await calls) assert.equal(isError, false);
        assert.equal(events.filter((event) => event.type === "state" && event.state === "ready").length, 2);
        assert.ok(
          events.some(
            (event) =>
              event.type === "state" && /waits 0\.5 s after failure 1: .*exited with code 1/.test(event.message ?? ""),
          ),
        );
      },
      { clock },
    );
  });

  test("[X-19] a failed first start leaves it to its next use, and stop ends the waiting", async () => {
    await hosting(
      async ({ host, until }) => {
        const manifest = { id: "raw", protocol: "dhara" as const, command: "sh", args: ["-c", "exit 2"] };
        await failsWith(host.start(manifest), "start-failed");
        const waiting = failsWith(host.execute("echo", {}, { extension: "raw" }), "closed");
        await until((event) => event.type === "state" && /waits 0\.5 s/.test(event.message ?? ""));
        assert.equal(host.extensions()[0]?.state, "starting");
        await host.stop("raw");
        const closed = await waiting;
        assert.deepEqual([closed.extension, closed.stderr], ["raw", ""]);
        assert.match(
          (await failsWith(host.execute("echo", {}, { extension: "raw" }), "closed")).message,
          /was stopped; start it to use it again/,
        );
        await host.start(dhara());
        assert.equal((await host.execute("echo")).isError, false);
      },
      { clock: stillClock() },
    );
  });

  test("[X-19] restart: false leaves it dead, and always starts it without a use", async () => {
    const clock = fakeClock();
    await hosting(
      async ({ host, until }) => {
        await host.start(dhara({}, { restart: false }));
        await failsWith(host.execute("die", { code: 3 }), "exited");
        assert.equal((await failsWith(host.execute("echo"), "exited")).exitCode, 3);
        // Killed once it is ready, not after some time: then it might be too early.
        const m = await host.start(mx({}, { id: "m", restart: "always" }));
        const kill = () => process.kill(m.snapshot().pid!, "SIGKILL");
        host.on((event) => {
          if (event.type === "state" && event.extension === "m" && event.state === "ready") kill();
        });
        kill();
        const failed = await until(
          (event) => event.type === "state" && event.extension === "m" && event.state === "failed",
        );
        assert.match(failed.type === "state" ? (failed.message ?? "") : "", /SIGKILL/);
        assert.deepEqual(clock.slept, [500, 1_000, 2_000, 4_000]);
        const { signal, exitCode } = await failsWith(m.reportStatus(), "failed");
        assert.deepEqual([signal, exitCode], ["SIGKILL", null]);
      },
      { clock },
    );
  });

  test("[X-19] always starts it again, also one that never was ready, and one that the host had ended", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const clock = fakeClock();
    await hosting(
      async ({ host, events, until }) => {
        const failing = { id: "f", protocol: "dhara" as const, command: "sh", args: ["-c", "exit 2"] };
        const first = failsWith(host.start({ ...failing, restart: "always" }), "start-failed");
        await until((event) => event.type === "state" && event.state === "failed");
        await first;
        assert.deepEqual(clock.slept, [500, 1_000, 2_000, 4_000]);
        await failsWith(host.execute("no such tool"), "unknown-tool");
        const handle = await host.start(dhara({}, { restart: "always" }));
        await failsWith(handle.execute("never", {}, { timeoutMs: 100 }), "timeout");
        const over = events.findLastIndex((event) => event.type === "exit");
        await until((event) => event.type === "state" && event.state === "ready" && events.indexOf(event) > over);
        assert.equal(handle.snapshot().restarts, 1);
      },
      { clock },
    );
    process.off("unhandledRejection", note);
    assert.deepEqual(unhandled, []);
  });

  test("[X-19] who was ready for 30 s has no failures before that, though nobody asked it anything", async () => {
    const clock = fakeClock();
    await hosting(
      async ({ host, until }) => {
        const m = await host.start(mx({}, { id: "m", restart: "always" }));
        const again = async () => {
          const before = m.snapshot().restarts;
          process.kill(m.snapshot().pid!, "SIGKILL");
          await until(() => m.snapshot().restarts > before);
          await m.reportStatus();
        };
        await again();
        await again();
        clock.pass(30_000);
        await again();
        assert.deepEqual(clock.slept, [500, 1_000, 500]);
      },
      { clock, statusIntervalMs: 0 },
    );
  });

  test("what is stopped already stays as it was, whoever stops it once more", async () => {
    await hosting(async ({ host, events }) => {
      const handle = await host.start(dhara());
      await failsWith(handle.execute("die", { code: 4 }), "exited");
      const before = [events.length, handle.snapshot().message];
      assert.match(handle.snapshot().message ?? "", /exited with code 4/);
      await handle.stop();
      await handle.stop();
      assert.deepEqual([events.length, handle.snapshot().message], before);
    });
  });
});
