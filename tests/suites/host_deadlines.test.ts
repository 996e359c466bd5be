/** How long an MX extension may take to come, to say how it is, and to come again: by a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeTime } from "../support/fake_time.ts";
import { hosting, mx } from "../support/hosting.ts";
import { failsWith } from "../support/rejected.ts";

test("[D14] an MX extension that never dials, has a wrong token or another version is ended by the deadline", async () => {
  await hosting(async ({ host, until }) => {
    const start = (id: string, behaviour: object, more: object = {}) =>
      failsWith(host.start(mx(behaviour, { id, startTimeoutMs: 10_000, ...more })), "handshake-failed");
    await FakeTime.run(async (time) => {
      const starts = Promise.all([
        start("absent", { dial: false }, { startTimeoutMs: 400 }),
        start("deaf", { dial: false, ignoreTerm: true, stdout: "up\n" }, { shutdownTimeoutMs: 200 }),
        start("wrong", { token: "wrong", ignoreEnd: true }),
        start("strange", { protocolVersion: 2, ignoreEnd: true }),
      ]);
      await until((event) => event.type === "stdout" && event.extension === "deaf");
      for (const id of ["wrong", "strange"])
        await until((event) => event.type === "diagnostic" && event.extension === id);
      await time.pass(9_999);
      await until((event) => event.type === "exit" && event.extension === "absent");
      assert.deepEqual(
        host.extensions().map(({ state }) => state),
        ["stopped", "starting", "starting", "starting"],
      );
      await time.pass(1);
      // No longer: a host does not wait for ever for one that it has killed.
      await time.pass(200);
      const [absent, deaf, wrong, strange] = await starts;
      assert.match(
        absent.message,
        /no accepted host\.v1\.hello within 400 ms: .*; if it reads stdin instead, its protocol is dhara\./,
      );
      assert.equal(absent.signal, "SIGTERM");
      assert.equal(deaf.signal, "SIGKILL");
      assert.match(wrong.message, /refused: hello token is not the token issued/);
      assert.match(strange.message, /refused: .*protocolVersion/);
      assert.ok(host.extensions().every(({ pid }) => pid === undefined));
    });
  });
});

test("[M-17] [D14] an MX extension that says hello and no status within 5 s is ended", async () => {
  await hosting(async ({ host, until }) => {
    await FakeTime.run(async (time) => {
      const failed = failsWith(host.start(mx({ status: "never" })), "handshake-failed");
      await until((event) => event.type === "stderr" && event.line === "asked with null");
      await time.pass(4_999);
      assert.equal(host.extensions()[0]?.state, "starting");
      await time.pass(1);
      const error = await failed;
      assert.match(error.message, /no answer to extension\.v1\.reportStatus within 5000 ms/);
      assert.deepEqual([error.exitCode, error.stderr], [0, "asked with null\ntold to shut down with null"]);
    });
  });
});

test("[D14] MX: a connection that ends and is not made again costs the process its life", async () => {
  await hosting(async ({ host, until }) => {
    const handle = await host.start(
      mx({ redialAfter: 2, status: [{ state: "ready", message: "" }], dialsOnce: true }, { startTimeoutMs: 10_000 }),
    );
    await FakeTime.run(async (time) => {
      await handle.reportStatus();
      // First the host waits a while whether the process ends, too.
      while (handle.state !== "degraded") await time.pass(10);
      await time.pass(9_980);
      assert.equal(handle.state, "degraded");
      await time.pass(20);
      const exit = await until((event) => event.type === "exit");
      assert.ok(exit.type === "exit" && !exit.expected && exit.signal === "SIGTERM");
    });
  });
});
