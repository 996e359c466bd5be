/** Extensions that die, hang, flood or break the protocol while they are in use. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { about, dhara, hosting, mx, wrapped } from "../support/hosting.ts";
import { failsWith } from "../support/rejected.ts";

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
        return failsWith(call, "exited");
      });
      process.kill(pid, "SIGKILL");
      const errors = await Promise.all(calls);
      assert.equal(settled, 20);
      for (const error of errors) {
        assert.match(
          error.message,
          /extension 'raw' \(.+\) was ended by SIGKILL\.\nIts last lines on stderr:\n {4}one\n {4}two$/,
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
      const error = await failsWith(
        host.execute("die", { code: 7, stderr: `${"trace\n".repeat(50)}TypeError: boom` }),
        "exited",
      );
      assert.match(
        error.message,
        /exited with code 7\.\nIts last lines on stderr:(\n {4}trace){19}\n {4}TypeError: boom$/,
      );
      assert.equal(error.exitCode, 7);
      assert.equal(error.stderr?.split("\n").length, 20);
      assert.equal(host.extensions()[0]?.stderr().length, 51);
    });
  });

  test("[X-19] [D8] it is dead when its process is, whoever still holds its stdout", async () => {
    await hosting(async ({ host }) => {
      await host.start(wrapped('setsid sleep 5 & exec "$@"', dhara()));
      assert.equal((await failsWith(host.execute("die", { code: 1 }), "exited")).exitCode, 1);
    });
  });

  test("[M-17] [X-19] MX: what was asked of it rejects with how it ended", async () => {
    await hosting(async ({ host, until }) => {
      const handle = await host.start(mx());
      process.kill(handle.snapshot().pid ?? 0, "SIGSTOP");
      const asked = failsWith(handle.reportStatus(), "exited");
      process.kill(handle.snapshot().pid ?? 0, "SIGKILL");
      assert.match((await asked).message, /was ended by SIGKILL\.\nIts last lines on stderr:\n {4}asked with null$/);
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
        const error = await failsWith(host.execute("echo", { long: '"'.repeat(30_000) }), "limit");
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
      const error = await failsWith(handle.reportStatus(), "protocol");
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
        const calls = Array.from({ length: 40 }, () => host.execute("echo", { text }, { timeoutMs: 0 }));
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
