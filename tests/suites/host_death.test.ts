/** Extensions that die, hang, flood or break the protocol while they are in use, and how they come back. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Backoff } from "../../src/host/backoff.ts";
import type { Clock } from "../../src/host/clock.ts";
import { about, dhara, failure, hosting, mx, wrapped } from "../support/hosting.ts";

/** Time that passes at once, and is written down. */
function fakeClock(): Clock & { readonly slept: number[]; pass(ms: number): void } {
  let now = 1_000;
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

describe("an extension that dies in use", () => {
  test("[X-19] [D23] kill -9 with 20 calls in flight: each rejects once, with the signal and the last stderr lines", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    await hosting(async ({ host, events }) => {
      await host.start(dhara({ stderr: "one\ntwo\n" }));
      const { pid } = await about(host);
      let settled = 0;
      const calls = Array.from({ length: 20 }, () => {
        const call = host.execute("never");
        call.catch(() => settled++);
        return failure(call, "exited");
      });
      process.kill(pid, "SIGKILL");
      const errors = await Promise.all(calls);
      assert.equal(settled, 20);
      for (const error of errors) {
        assert.match(
          error.message,
          /extension 'raw' \(.+\) was ended by SIGKILL\. Its last lines on stderr:\n {4}one\n {4}two$/,
        );
        assert.deepEqual(
          [error.signal, error.exitCode, error.stderr, error.extension],
          ["SIGKILL", null, "one\ntwo", "raw"],
        );
      }
      // By the time a caller hears of it, the host has said so.
      const [snapshot] = host.extensions();
      assert.equal(snapshot?.state, "stopped");
      assert.match(snapshot?.message ?? "", /SIGKILL/);
      assert.deepEqual(events.at(-2), {
        type: "exit",
        extension: "raw",
        code: null,
        signal: "SIGKILL",
        expected: false,
      });
      assert.deepEqual(host.tools().length, 6);
      assert.equal((await host.execute("echo")).isError, false);
    });
    process.off("unhandledRejection", note);
    assert.deepEqual(unhandled, []);
  });

  test("[X-19] an exit code is told, with all that was written before it", async () => {
    await hosting(async ({ host }) => {
      await host.start(dhara());
      const error = await failure(
        host.execute("die", { code: 7, stderr: `${"trace\n".repeat(50)}TypeError: boom` }),
        "exited",
      );
      assert.match(
        error.message,
        /exited with code 7\. Its last lines on stderr:(\n {4}trace){19}\n {4}TypeError: boom$/,
      );
      assert.equal(error.exitCode, 7);
      assert.equal(error.stderr?.split("\n").length, 20);
      assert.equal(host.extensions()[0]?.stderr().length, 51);
    });
  });

  test("[X-19] [D8] it is dead when its process is, whoever still holds its stdout", async () => {
    await hosting(async ({ host }) => {
      await host.start(wrapped('setsid sleep 5 & exec "$@"', dhara()));
      assert.equal((await failure(host.execute("die", { code: 1 }), "exited")).exitCode, 1);
    });
  });

  test("[M-17] [X-19] MX: what was asked of it rejects with how it ended", async () => {
    await hosting(async ({ host, until }) => {
      const handle = await host.start(mx({}, { shutdownTimeoutMs: 300 }));
      process.kill(handle.snapshot().pid ?? 0, "SIGSTOP");
      const asked = failure(handle.reportStatus(), "exited");
      process.kill(handle.snapshot().pid ?? 0, "SIGKILL");
      assert.match((await asked).message, /was ended by SIGKILL\. Its last lines on stderr:\n {4}asked with null$/);
      await until((event) => event.type === "state" && event.state === "stopped");
      assert.equal((await handle.reportStatus()).state, "ready");
      assert.equal(handle.snapshot().restarts, 1);
    });
  });

  test("[X-14] [M-17] MX: a connection that ends while the process lives may be made again", async () => {
    await hosting(
      async ({ host, until, events }) => {
        const handle = await host.start(mx({ redialAfter: 1 }));
        const first = handle.snapshot().sessionId;
        const second = () => handle.snapshot().sessionId;
        await until(() => second() !== undefined && second() !== first);
        assert.equal((await handle.reportStatus()).state, "ready");
        assert.equal(handle.state, "ready");
        assert.ok(!events.some((event) => event.type === "exit"));
      },
      { statusIntervalMs: 50 },
    );
  });

  test("[D14] MX: a connection that ends and is not made again costs the process its life", async () => {
    await hosting(async ({ host, until }) => {
      const handle = await host.start(
        mx(
          { redialAfter: 2, status: [{ state: "ready", message: "" }], dialsOnce: true },
          { startTimeoutMs: 1_000, shutdownTimeoutMs: 200 },
        ),
      );
      await handle.reportStatus();
      const exit = await until((event) => event.type === "exit");
      assert.ok(exit.type === "exit" && !exit.expected && exit.signal === "SIGTERM");
    });
  });
});

describe("starting again", () => {
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
          const error = await failure(host.execute("die", { code: 9, stderr: `death ${i}` }), "exited");
          assert.equal(error.exitCode, 9);
        }
        assert.deepEqual(clock.slept, [500, 1_000, 2_000, 4_000]);
        const error = await failure(host.execute("echo"), "failed");
        assert.match(
          error.message,
          /extension 'raw' failed 5 times in a row .+exited with code 9\. Its last lines on stderr:\n {4}death 4$/s,
        );
        assert.deepEqual([error.exitCode, error.stderr], [9, "death 4"]);
        const { state, message, restarts } = handle.snapshot();
        assert.deepEqual([state, restarts], ["failed", 4]);
        assert.match(message ?? "", /death 4/);
        assert.equal(events.filter((event) => event.type === "exit").length, 5);
        // Whoever asks for it outright gets another try.
        await handle.restart();
        assert.equal((await host.execute("echo")).isError, false);
      },
      { clock },
    );
  });

  test("[X-19] a start that fails counts, an answer sets the count back, and so does a long good run", async () => {
    const clock = fakeClock();
    await hosting(
      async ({ host }) => {
        const die = () => failure(host.execute("die", { code: 1 }), "exited");
        await host.start(dhara());
        await die();
        await die();
        assert.equal((await host.execute("echo")).isError, false);
        await die();
        assert.deepEqual(clock.slept, [500, 1_000]);
        await host.execute("echo").then(() => clock.pass(29_999));
        await die();
        assert.deepEqual(clock.slept, [500, 1_000, 500]);
      },
      { clock },
    );
  });

  test("[X-19] many uses wait for one start, and a wait that takes too long or is aborted ends alone", async () => {
    await hosting(async ({ host, events }) => {
      await host.start(dhara());
      await failure(host.execute("die", { code: 1 }), "exited");
      const controller = new AbortController();
      const calls = [
        host.execute("echo", { n: 1 }).then(({ isError }) => isError),
        host.execute("echo", { n: 2 }).then(({ isError }) => isError),
        failure(host.execute("echo", {}, { timeoutMs: 50 }), "timeout"),
        assert.rejects(host.execute("echo", {}, { signal: controller.signal }), /enough/),
      ];
      controller.abort(new Error("enough"));
      assert.deepEqual((await Promise.all(calls)).slice(0, 2), [false, false]);
      assert.equal(events.filter((event) => event.type === "state" && event.state === "ready").length, 2);
      assert.ok(
        events.some((event) => event.type === "state" && /waits 0\.\d s after failure 1/.test(event.message ?? "")),
      );
    });
  });

  test("[X-19] a failed first start leaves it to its next use, and stop ends the waiting", async () => {
    await hosting(async ({ host }) => {
      const manifest = { id: "raw", protocol: "dhara" as const, command: "sh", args: ["-c", "exit 2"] };
      await failure(host.start(manifest), "start-failed");
      const waiting = failure(host.execute("echo", {}, { extension: "raw" }), "closed");
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(host.extensions()[0]?.state, "starting");
      await host.stop("raw");
      await waiting;
      assert.match(
        (await failure(host.execute("echo", {}, { extension: "raw" }), "closed")).message,
        /was stopped; start it to use it again/,
      );
      await host.start(dhara());
      assert.equal((await host.execute("echo")).isError, false);
    });
  });

  test("[X-19] restart: false leaves it dead, and always starts it without a use", async () => {
    const clock = fakeClock();
    await hosting(
      async ({ host, until }) => {
        await host.start(dhara({}, { restart: false }));
        await failure(host.execute("die", { code: 3 }), "exited");
        assert.equal((await failure(host.execute("echo"), "exited")).exitCode, 3);
        await host.start(mx({ dieAfterMs: 50 }, { id: "m", restart: "always" }));
        const failed = await until(
          (event) => event.type === "state" && event.extension === "m" && event.state === "failed",
        );
        assert.match(failed.type === "state" ? (failed.message ?? "") : "", /SIGKILL/);
        assert.deepEqual(clock.slept, [500, 1_000, 2_000, 4_000]);
      },
      { clock },
    );
  });
});

describe("an extension that misbehaves in use", () => {
  test("[D11] a megabyte on stderr blocks nothing, and the last 1,000 lines are kept", async () => {
    await hosting(async ({ host }) => {
      const handle = await host.start(dhara());
      const { content } = await host.execute("noise", { bytes: 1 << 20 });
      assert.deepEqual(content, [{ type: "text", text: "done" }]);
      await handle.stop();
      const lines = handle.snapshot().stderr();
      assert.equal(lines.length, 1_000);
      assert.equal(lines.at(-1), "heard shutdown");
    });
  });

  test("[D24] [A10] a line over the limit is the reason that its calls reject with, and the process is ended", async () => {
    await hosting(
      async ({ host, until }) => {
        await host.start(dhara({ ignoreEnd: true }));
        const error = await failure(host.execute("echo", { long: '"'.repeat(30_000) }), "limit");
        assert.match(error.message, /extension 'raw' .+broke the protocol: .*maxMessageBytes/);
        const exit = await until((event) => event.type === "exit");
        assert.ok(exit.type === "exit" && !exit.expected);
        assert.equal((await host.execute("echo")).isError, false);
      },
      { limits: { maxMessageBytes: 100_000 } },
    );
  });

  test("[D24] [X-13] a frame that cannot be is the reason, and costs the process its life", async () => {
    await hosting(async ({ host, until }) => {
      const handle = await host.start(mx({ breaksFrames: true, ignoreEnd: true }));
      const error = await failure(handle.reportStatus(), "protocol");
      assert.match(error.message, /extension 'raw' .+broke the protocol: frame at byte \d+ .*00 00 00 00/);
      const stopped = await until((event) => event.type === "state" && event.state === "stopped");
      assert.match(stopped.type === "state" ? (stopped.message ?? "") : "", /broke the protocol/);
      assert.equal(handle.snapshot().lastExit?.signal, "SIGTERM");
    });
  });

  test("[E4] [D5] one that does not read makes calls wait while timers fire, and answers them all when it reads again", async () => {
    await hosting(
      async ({ host }) => {
        const handle = await host.start(dhara());
        const { pid } = await about(host);
        process.kill(pid, "SIGSTOP");
        const text = "x".repeat(1 << 20);
        const calls = Array.from({ length: 40 }, () => host.execute("echo", { text }));
        let ticks = 0;
        await new Promise<void>((resolve) => {
          const timer = setInterval(() => {
            if (++ticks === 20) resolve(clearInterval(timer));
          }, 5);
        });
        assert.equal(handle.peer?.pending, 40);
        process.kill(pid, "SIGCONT");
        assert.ok((await Promise.all(calls)).every(({ isError }) => !isError));
      },
      { limits: { maxQueuedBytes: 4 << 20 } },
    );
  });
});
