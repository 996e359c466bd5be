/** The TypeScript example of an MX extension, as a process under our host. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Host, type HostEvent, testPattern, type VmRuntime } from "../../mod.ts";
import { node } from "../../src/adapters/node.ts";
import { decodePng } from "../../src/cli/png_decode.ts";
import { extwire } from "../support/runtime.ts";

/** Every event, and a wait for the first one from now on or before that is `wanted`. */
class Watched {
  readonly events: HostEvent[] = [];
  #waiting: (() => void)[] = [];

  readonly take = (event: HostEvent): void => {
    this.events.push(event);
    for (const wake of this.#waiting.splice(0)) wake();
  };

  async until(wanted: (event: HostEvent) => boolean): Promise<HostEvent> {
    for (;;) {
      const found = this.events.find(wanted);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  line(pattern: RegExp): Promise<HostEvent> {
    return this.until((event) => event.type === "stdout" && pattern.test(event.line));
  }
}

test("[M-18] [M-21] it reports its status, lists the VMs, captures each framebuffer every second, and saves it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "extwire-test-"));
  const watched = new Watched();
  const vms = testPattern({
    width: 33,
    height: 21,
    vms: [
      { id: "a", name: "A" },
      { id: "b/../c", name: "B" },
    ],
  });
  const host = new Host(node(), { vms, onEvent: watched.take });
  try {
    await host.start({ id: "watch", protocol: "mx", ...extwire("extension", "mx", "--save", folder) });
    assert.deepEqual(
      host.extensions().map(({ state, message }) => ({ state, message })),
      [{ state: "ready", message: "watching a, b/../c" }],
    );
    await watched.line(/^VMs: a, b\/\.\.\/c$/);
    await watched.line(/^a frame 2: 33x21 -> /);
    await watched.line(/^b\/\.\.\/c frame 2: 33x21 -> /);
    for (const name of ["a.png", "b_.._c.png"]) assert.equal(decodePng(readFileSync(join(folder, name)))?.width, 33);
  } finally {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("[M-17] [M-18] it reports its status to a host that lists no VMs before it has one", async (t) => {
  let list: (() => void) | undefined;
  const watched = new Watched();
  const vms: VmRuntime = {
    list: () =>
      new Promise((resolve) => {
        list = () => resolve([]);
      }),
    capture: () => undefined,
  };
  const host = new Host(node(), { vms, onEvent: watched.take, statusIntervalMs: 100 });
  t.after(() => host.close());
  await host.start({ id: "watch", protocol: "mx", ...extwire("extension", "mx") });
  assert.equal(host.extensions()[0]?.message, "waiting for the list of VMs");
  list?.();
  await watched.until((event) => event.type === "status" && event.status.message === "watching no VM");
});

test("it is degraded while capturing fails, says why, and is ready again afterwards", async () => {
  let broken = false;
  const pattern = testPattern({ width: 8, height: 8 });
  const vms: VmRuntime = {
    list: () => pattern.list(),
    capture(vmId) {
      if (broken) throw new Error("the display is asleep");
      return pattern.capture(vmId);
    },
  };
  const watched = new Watched();
  const host = new Host(node(), { vms, onEvent: watched.take, statusIntervalMs: 100 });
  try {
    await host.start({ id: "watch", protocol: "mx", ...extwire("extension", "mx") });
    await watched.line(/frame 1/);
    broken = true;
    const degraded = await watched.until((event) => event.type === "state" && event.state === "degraded");
    assert.match(degraded.type === "state" ? (degraded.message ?? "") : "", /capture failed: .*the display is asleep/);
    broken = false;
    await watched.line(/^capturing again$/);
    const since = watched.events.indexOf(degraded);
    await watched.until(
      (event) => event.type === "state" && event.state === "ready" && watched.events.indexOf(event) > since,
    );
  } finally {
    await host.close();
  }
});

test("[M-19] it shuts down when it is asked, in the middle of a capture too, with code 0", async () => {
  const pattern = testPattern({ width: 8, height: 8 });
  let captured: () => void = () => {};
  const capturing = new Promise<void>((resolve) => {
    captured = resolve;
  });
  const vms: VmRuntime = {
    list: () => pattern.list(),
    capture() {
      captured();
      return new Promise(() => {});
    },
  };
  const watched = new Watched();
  const host = new Host(node(), { vms, onEvent: watched.take });
  await host.start({ id: "watch", protocol: "mx", shutdownTimeoutMs: 60_000, ...extwire("extension", "mx") });
  await capturing;
  await host.close();
  const exit = await watched.until((event) => event.type === "exit");
  assert.deepEqual(exit, { type: "exit", extension: "watch", code: 0, signal: null, expected: true });
});
