/** Stopping: the order and the times of it, whole trees of processes, many at once. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HostEvent } from "../../src/host/events.ts";
import { FakeTime } from "../support/fake_time.ts";
import { dhara, hosting, mx, wrapped } from "../support/hosting.ts";
import { isRunning, untilGone } from "../support/processes.ts";
import { failsWith } from "../support/rejected.ts";

/** The n-th line of stderr that a process wrote, as a pid. */
function pidIn(events: readonly HostEvent[], word: string): number {
  const line = events.flatMap((event) =>
    event.type === "stderr" && event.line.startsWith(word) ? [event.line] : [],
  )[0];
  return Number(line?.slice(word.length));
}

describe("after a call's timeout", () => {
  test("[D-13] shutdown is sent, the exit is waited for, and only then the call rejects", async () => {
    await hosting(async ({ host, events }) => {
      await host.start(dhara({ cleanUpMs: 300 }));
      const others = Promise.all([
        host.execute("later", { ms: 250 }),
        failsWith(host.execute("never", {}, { timeoutMs: 0 }), "closed"),
      ]);
      const error = await failsWith(host.execute("never", {}, { timeoutMs: 200 }), "timeout");
      assert.match(
        error.message,
        /^tool 'never' was not answered: no answer .+ within 200 ms .+was stopped because a call got no answer in time and exited with code 0\.\nIts last lines on stderr:\n {4}heard shutdown$/,
      );
      assert.deepEqual([error.exitCode, error.stderr], [0, "heard shutdown"]);
      const exit = events.at(-2);
      assert.deepEqual(exit, { type: "exit", extension: "raw", code: 0, signal: null, expected: true });
      const [answered, stopped] = await others;
      assert.equal(answered.isError, false);
      assert.match(stopped.message, /extension 'raw' .+was stopped because a call got no answer in time/);
      // Not a failure of the process: the next use starts it at once.
      assert.equal((await host.execute("echo")).isError, false);
      assert.equal(host.extensions()[0]?.restarts, 1);
    });
  });

  test("[D-13] [D10] what still runs when the grace is over is killed first", async () => {
    await hosting(async ({ host, events, until }) => {
      await host.start(dhara({ shutdown: "ignore", ignoreEnd: true, ignoreTerm: true }, { shutdownTimeoutMs: 10_000 }));
      const { pid = 0 } = host.extensions()[0]!;
      await FakeTime.run(async (time) => {
        const calls = [0, 1, 2].map(() => failsWith(host.execute("never", {}, { timeoutMs: 100 }), "timeout"));
        await time.pass(100);
        await until((event) => event.type === "stderr" && event.line === "heard shutdown");
        await time.pass(9_999);
        await until((event) => event.type === "stderr" && event.line === "heard the end");
        assert.ok(isRunning(pid));
        await time.pass(1);
        await Promise.all(calls);
      });
      const order = events.flatMap((event) =>
        event.type === "stderr" ? [event.line] : event.type === "exit" ? [event.signal] : [],
      );
      assert.deepEqual(order, ["heard shutdown", "heard the end", "SIGKILL"]);
    });
  });

  test("[D-13] [M-19] [D15] the kill comes 5 s after shutdown for Dhara, 2 s for MX, unless the manifest says otherwise", async () => {
    await hosting(async ({ host, events, until }) => {
      const stubborn = { shutdown: "ignore", ignoreEnd: true, ignoreTerm: true };
      const { shutdownTimeoutMs: _, ...slow } = dhara(stubborn, { id: "dhara" });
      const { shutdownTimeoutMs: __, ...quick } = mx(stubborn, { id: "mx" });
      await Promise.all([host.start(slow), host.start(quick)]);
      const runs = () => host.extensions().map(({ pid }) => pid !== undefined && isRunning(pid));
      await FakeTime.run(async (time) => {
        const stopped = Promise.all([host.stop("dhara"), host.stop("mx")]);
        await time.pass(1_999);
        assert.deepEqual(runs(), [true, true]);
        await time.pass(1);
        await until((event) => event.type === "exit");
        await time.pass(2_999);
        assert.deepEqual(runs(), [true, false]);
        await time.pass(1);
        await stopped;
      });
      assert.deepEqual(
        host.extensions().map(({ lastExit }) => lastExit?.signal),
        ["SIGKILL", "SIGKILL"],
      );
      assert.deepEqual(
        events.flatMap((event) => (event.type === "exit" ? [event.extension] : [])),
        ["mx", "dhara"],
      );
    });
  });
});

describe("stop", () => {
  for (const [protocol, manifest] of [["dhara", dhara] as const, ["mx", mx] as const]) {
    test(`[D15] [D10] [D26] [X-20] ${protocol}: an early exit ends the wait, a late one is a kill`, async () => {
      await hosting(async ({ host }) => {
        const exit = async (behaviour: object, grace: number) => {
          const handle = await host.start(manifest(behaviour, { shutdownTimeoutMs: grace }));
          const begun = performance.now();
          await handle.stop();
          return { ...handle.snapshot().lastExit, ms: performance.now() - begun };
        };
        // Longer than a test may take.
        const tidy = await exit({ cleanUpMs: 600, ignoreEnd: true }, 3_600_000);
        assert.equal(tidy.code, 0);
        assert.ok(tidy.ms >= 590);
        const slow = await exit({ cleanUpMs: 60_000, ignoreEnd: true }, 300);
        assert.equal(slow.signal, "SIGKILL");
        assert.ok(slow.ms >= 295);
        const stays = protocol === "dhara" ? { shutdown: "ignore" } : { shutdown: "answer-and-stay" };
        assert.equal((await exit({ ...stays, ignoreEnd: true, ignoreTerm: true }, 300)).signal, "SIGKILL");
      });
    });

    test(`[D7] [D6] [X-20] ${protocol}: a wrapper that ends on shutdown or SIGTERM does not save its stubborn child`, async () => {
      await hosting(async ({ host, events, until }) => {
        const stubborn = { shutdown: "ignore", ignoreEnd: true, ignoreTerm: true };
        const script = `trap 'exit 0' TERM; (trap '' TERM; echo "child $(sh -c 'echo $PPID')" >&2; exec "$@") <&3 & wait`;
        await host.start(wrapped(`exec 3<&0; ${script}`, manifest(stubborn, { shutdownTimeoutMs: 300 })));
        await until((event) => event.type === "stderr" && event.line.startsWith("child "));
        const child = pidIn(events, "child ");
        assert.ok(child > 0);
        await host.close();
        await untilGone(child);
      });
    });

    test(`[D6] ${protocol}: an extension behind a shell that waits ends, and so does what it left in the background`, async () => {
      await hosting(async ({ host, events }) => {
        await host.start(wrapped('sleep 60 & echo "sleeper $!" >&2; "$@"; exit 3', manifest()));
        await host.stop("raw");
        assert.equal(host.extensions()[0]?.lastExit?.code, 3);
        await untilGone(pidIn(events, "sleeper "));
      });
    });

    test(`[D21] ${protocol}: a process that computes and hears nothing is killed all the same`, async () => {
      await hosting(async ({ host, until }) => {
        const handle = await host.start(manifest({ ignoreTerm: true }, { shutdownTimeoutMs: 200 }));
        process.kill(handle.snapshot().pid ?? 0, "SIGSTOP");
        await host.close();
        const exit = await until((event) => event.type === "exit");
        assert.ok(exit.type === "exit" && exit.signal === "SIGKILL");
      });
    });
  }

  test("[D7] a wrapper that SIGTERM ends, because nobody can be asked, leaves a child that is killed", async () => {
    await hosting(async ({ host, events, until }) => {
      const script = `trap 'exit 7' TERM; (trap '' TERM; echo "child $(sh -c 'echo $PPID')" >&2; exec sleep 60) & wait`;
      const manifest = { ...mx(), command: "sh", args: ["-c", script], shutdownTimeoutMs: 3_600_000 };
      const controller = new AbortController();
      const given = assert.rejects(host.start(manifest, { signal: controller.signal }), /enough/);
      await until((event) => event.type === "stderr" && event.line.startsWith("child "));
      controller.abort(new Error("enough"));
      await given;
      const exit = await until((event) => event.type === "exit");
      assert.equal(exit.type === "exit" && exit.code, 7);
      await untilGone(pidIn(events, "child "));
    });
  });

  test("[D8] [X-20] a grandchild that holds the pipes does not delay it, even one that left the group", async () => {
    await hosting(async ({ host }) => {
      const handle = await host.start(dhara({ grandchild: true }, { shutdownTimeoutMs: 3_600_000 }));
      await handle.stop();
      assert.deepEqual(handle.snapshot().lastExit, { code: 0, signal: null });
      await host.start(wrapped('setsid sleep 5 & exec "$@"', dhara({}, { id: "gone", shutdownTimeoutMs: 3_600_000 })));
      await host.stop("gone");
      assert.deepEqual(host.extensions()[1]?.lastExit, { code: 0, signal: null });
    });
  });

  test("[D20] an extension that knows no shutdown is told by the end of its stdin", async () => {
    await hosting(async ({ host, until }) => {
      const handle = await host.start(dhara({ shutdown: "ignore" }, { shutdownTimeoutMs: 20_000 }));
      await FakeTime.run(async (time) => {
        const stopped = handle.stop();
        await until((event) => event.type === "stderr" && event.line === "heard shutdown");
        // A part of it, and the rest is left to end by itself.
        await time.pass(4_000);
        await stopped;
      });
      assert.deepEqual(handle.snapshot().lastExit, { code: 0, signal: null });
      assert.deepEqual(handle.snapshot().stderr(), ["heard shutdown", "heard the end"]);
    });
  });

  test("[C16] an answer to shutdown with id null is no fault", async () => {
    await hosting(async ({ host, events }) => {
      const handle = await host.start(dhara({ shutdown: "answer" }));
      await handle.stop();
      assert.deepEqual(handle.snapshot().lastExit, { code: 0, signal: null });
      assert.ok(!events.some((event) => event.type === "diagnostic"));
    });
  });

  test("[D13] 25 extensions stop side by side, whatever listeners do", async () => {
    const errors: unknown[] = [];
    const stubborn = { ignoreEnd: true, cleanUpMs: 400 };
    let rejections = 0;
    await hosting(
      async ({ host, events }) => {
        host.on(() => {
          throw new Error("a listener that throws");
        });
        host.on(async () => {
          throw new Error(`a listener that rejects ${rejections++}`);
        });
        const ids = Array.from({ length: 25 }, (_, i) => `e${i}`);
        for (let i = 0; i < ids.length; i += 5) {
          await Promise.all(
            ids
              .slice(i, i + 5)
              .map((id, j) =>
                host.start(
                  j % 2
                    ? mx(stubborn, { id, shutdownTimeoutMs: 3_600_000 })
                    : dhara(stubborn, { id, shutdownTimeoutMs: 3_600_000 }),
                ),
              ),
          );
        }
        await host.close();
        const order = events.flatMap((event) =>
          event.type === "exit" || (event.type === "state" && event.state === "stopping") ? [event.type] : [],
        );
        assert.deepEqual(order, [...Array(25).fill("state"), ...Array(25).fill("exit")]);
        assert.ok(host.extensions().every(({ lastExit, state }) => lastExit?.code === 0 && state === "stopped"));
      },
      { onError: (error) => errors.push(error) },
    );
    assert.ok(errors.length > 100);
  });

  test("[D13] it may be called twice, side by side, and from inside its own events", async () => {
    await hosting(async ({ host, until }) => {
      const handle = await host.start(dhara());
      const inside: Promise<void>[] = [];
      host.on((event) => {
        if (event.type === "state" && event.state === "stopping") inside.push(handle.stop(), host.close());
        if (event.type === "exit") inside.push(handle.stop(), host.close());
      });
      assert.equal(host.close(), host.close());
      await Promise.all([host.close(), handle.stop(), handle.stop()]);
      await until((event) => event.type === "exit");
      await Promise.all(inside);
      assert.ok(inside.length >= 4);
      assert.equal(handle.state, "stopped");
      await failsWith(host.start(dhara({}, { id: "late" })), "closed");
      await failsWith(host.execute("echo"), "closed");
      await failsWith(handle.execute("echo"), "closed");
    });
  });

  test("[D13] [D14] a host that closes at any moment of a start leaves nothing behind", async () => {
    for (const turns of [0, 1, 2, 5, 20, 100]) {
      await hosting(async ({ host, events }) => {
        const silent = [dhara({ initialize: "never" }), mx({ dial: false }, { id: "m" })];
        const starts = silent.map((manifest) => failsWith(host.start(manifest), "closed"));
        for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
        const pids = host.extensions().flatMap(({ pid }) => pid ?? []);
        await host.close();
        await Promise.all(starts);
        await Promise.all(pids.map(untilGone));
        assert.ok(host.extensions().every(({ state, pid }) => state === "stopped" && pid === undefined));
        assert.ok(!events.some((event) => event.type === "state" && event.state === "ready"));
      });
    }
  });

  test("[M-19] restart ends the process as stop does, and starts another", async () => {
    await hosting(async ({ host }) => {
      for (const manifest of [dhara(), mx({}, { id: "m" })]) {
        const handle = await host.start(manifest);
        const before = handle.snapshot().pid;
        await handle.restart();
        assert.notEqual(handle.snapshot().pid, before);
        assert.equal(handle.state, "ready");
        assert.deepEqual(handle.snapshot().lastExit, { code: 0, signal: null });
      }
    });
  });
});
