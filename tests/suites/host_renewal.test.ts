/** A restart that is asked for: who calls waits for it, and who stops it meanwhile has the last word. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dhara, hosting, mx } from "../support/hosting.ts";
import { failsWith } from "../support/rejected.ts";

test("[X-23] [M-19] calls wait for a restart that is under way, and their tools are listed all the while", async () => {
  await hosting(async ({ host, until }) => {
    const handle = await host.start(dhara());
    const tools = host.tools().length;
    const listed: number[] = [];
    host.on(({ type }) => {
      if (type === "state") listed.push(host.tools().length);
    });
    const restarting = handle.restart();
    const early = [host.execute("echo"), host.execute("echo", {}, { extension: "raw" })];
    await until((event) => event.type === "state" && event.state === "stopping");
    assert.equal(host.tools().length, tools);
    const calls = [...early, host.execute("echo"), handle.execute("echo")];
    for (const { isError } of await Promise.all(calls)) assert.equal(isError, false);
    await restarting;
    // Stopping, stopped, starting, ready.
    assert.deepEqual(listed, [tools, tools, tools, tools]);
    await handle.stop();
    assert.deepEqual(host.tools(), []);
    await failsWith(handle.execute("echo"), "closed");
  });
});

test("[M-19] [X-20] who stops or removes an extension during its restart has the last word, and no process is left", async () => {
  await hosting(async ({ host, events }) => {
    const starts = () => events.filter((event) => event.type === "state" && event.state === "starting").length;
    for (const [protocol, manifest] of [
      ["dhara", dhara],
      ["mx", mx],
    ] as const) {
      const handle = await host.start(manifest({}, { id: protocol }));
      const before = starts();
      // Asked for in the same turn, and once its process is being stopped.
      for (const later of [false, true]) {
        const restarting = failsWith(handle.restart(), "closed");
        while (later && handle.state !== "stopping") await new Promise(setImmediate);
        await (later ? host.remove(protocol) : handle.stop());
        assert.match((await restarting).message, /was stopped before it had started/);
        assert.equal(starts(), before + (later ? 1 : 0));
        if (!later) await handle.restart();
      }
      assert.ok(!host.extensions().some(({ id }) => id === protocol));
    }
    // A restart that comes behind the stop starts it.
    const handle = await host.start(dhara());
    const first = failsWith(handle.restart(), "closed");
    const stopping = handle.stop();
    await handle.restart();
    await Promise.all([first, stopping]);
    assert.equal(handle.state, "ready");
  });
});

test("[M-19] [X-20] a restart that comes while an extension is being removed rejects, and starts nothing that nobody knows of", async () => {
  await hosting(async ({ host, events }) => {
    for (const manifest of [dhara, mx]) {
      const handle = await host.start(manifest());
      const before = events.filter(({ type }) => type === "state").length;
      const removing = host.remove("raw");
      const restarting = failsWith(handle.restart(), "closed");
      await Promise.all([removing, restarting]);
      const states = events.flatMap((event) => (event.type === "state" ? [event.state] : [])).slice(before);
      assert.deepEqual(states, ["stopping", "stopped"]);
      assert.deepEqual(host.extensions(), []);
    }
  });
});

test("[D14] an id is one extension: it is not started twice while it starts, ends or is about to start again", async () => {
  await hosting(async ({ host, events }) => {
    const statuses = () => events.filter(({ type }) => type === "status").length;
    for (const manifest of [dhara, mx]) {
      const twins: Promise<unknown>[] = [];
      const twin = () => twins.push(failsWith(host.start(manifest()), "start-failed"));
      const starting = host.start(manifest());
      twin();
      const handle = await starting;
      const off = host.on((event) => {
        if (event.type === "exit") twin();
      });
      await handle.stop();
      off();
      const restarting = handle.restart();
      twin();
      await restarting;
      if (handle.protocol === "mx") assert.equal(statuses(), 2);
      await Promise.all(twins);
      assert.deepEqual([twins.length, handle.state, host.extensions().length], [3, "ready", 1]);
      await host.remove("raw");
    }
  });
});

test("[D13] a host that is closed restarts nothing, and says whose restart it was", async () => {
  await hosting(async ({ host }) => {
    const handle = await host.start(dhara());
    const error = await failsWith(handle.reportStatus(), "protocol");
    assert.deepEqual(
      [error.extension, error.message],
      ["raw", "extension 'raw' speaks Dhara, which has no status request"],
    );
    assert.equal((await failsWith(host.start(dhara()), "start-failed")).extension, "raw");
    await host.close();
    assert.match(
      (await failsWith(handle.restart(), "closed")).message,
      /host is closed: extension 'raw' was not started/,
    );
    assert.deepEqual([handle.state, handle.snapshot().pid, handle.snapshot().restarts], ["stopped", undefined, 0]);
  });
});
