/** The Python examples under our host: what their bare tests promise is what a host needs. */
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { test } from "node:test";
import { Host, type HostEvent, RpcError, testPattern, type VmRuntime } from "../../mod.ts";
import { node } from "../../src/adapters/node.ts";
import { example, NO_PYTHON, PYTHON } from "../support/python.ts";

const SKIP = { skip: NO_PYTHON };

const DHARA = {
  id: "python-dhara",
  protocol: "dhara",
  command: PYTHON,
  args: ["-B", example("dhara_extension.py")],
  shutdownTimeoutMs: 60_000,
} as const;
const MX = { ...DHARA, id: "python-mx", protocol: "mx", args: ["-B", example("mx_extension.py")] } as const;

/** Resolves with the first event that `wanted` picks. */
function eventOf(host: Host, wanted: (event: HostEvent) => boolean): Promise<HostEvent> {
  return new Promise((resolve) => {
    const end = host.on((event) => {
      if (!wanted(event)) return;
      end();
      resolve(event);
    });
  });
}

test("our host runs the Python Dhara example: tools, content of each kind, errors, a clean end", SKIP, async () => {
  const host = new Host(node());
  const exits: HostEvent[] = [];
  host.on((event) => event.type === "exit" && exits.push(event));
  try {
    await host.start(DHARA);
    assert.deepEqual(
      host.tools().map(({ name, extension }) => [name, extension]),
      ["fetch_url", "draw_gradient", "draw_chart", "list_files"].map((name) => [name, "python-dhara"]),
    );
    const [inline] = (await host.execute("draw_gradient", { width: 2, height: 2 })).content;
    assert.ok(inline?.type === "image" && "data" in inline && inline.mimeType === "image/png");
    const [chart] = (await host.execute("draw_chart", { values: [1, 2] })).content;
    assert.ok(chart?.type === "image" && "path" in chart);
    assert.equal(readFileSync(chart.path).subarray(1, 4).toString(), "PNG");
    rmSync(chart.path);
    const [csv] = (await host.execute("list_files")).content;
    assert.ok(csv?.type === "file" && csv.size === readFileSync(csv.path).length);
    rmSync(csv.path);
    const missing = host.execute("fetch_url", {});
    await assert.rejects(
      missing,
      (error) => error instanceof RpcError && error.code === -32602 && /'url'/.test(error.message),
    );
    const failed = await host.execute("fetch_url", { url: "http://127.0.0.1:1/" });
    assert.equal(failed.isError, true);
  } finally {
    await host.close();
  }
  assert.deepEqual(exits, [{ type: "exit", extension: "python-dhara", code: 0, signal: null, expected: true }]);
});

test("our host runs the Python MX example: captures, degraded and well again, a clean end", SKIP, async () => {
  const pattern = testPattern({ width: 32, height: 16 });
  let broken = false;
  const vms: VmRuntime = {
    list: () => pattern.list(),
    capture(vmId) {
      if (broken) throw new Error("the screen is off");
      return pattern.capture(vmId);
    },
  };
  const host = new Host(node(), { vms, statusIntervalMs: 50 });
  const exits: HostEvent[] = [];
  host.on((event) => event.type === "exit" && exits.push(event));
  try {
    const captured = eventOf(
      host,
      (event) => event.type === "stdout" && event.line.startsWith("demo frame 0: 32x16, crc32 "),
    );
    const handle = await host.start(MX);
    assert.equal(handle.state, "ready");
    await captured;
    const degraded = eventOf(host, (event) => event.type === "state" && event.state === "degraded");
    broken = true;
    assert.match(((await degraded) as { message: string }).message, /the screen is off/);
    const ready = eventOf(host, (event) => event.type === "state" && event.state === "ready");
    broken = false;
    assert.equal(((await ready) as { message: string }).message, "watching demo");
  } finally {
    await host.close();
  }
  assert.deepEqual(exits, [{ type: "exit", extension: "python-mx", code: 0, signal: null, expected: true }]);
});
