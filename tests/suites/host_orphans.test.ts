/** What is left when a host ends: nothing of ours, whether it was killed or closed. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dhara, mx } from "../support/hosting.ts";
import { untilGone } from "../support/processes.ts";
import { fixture } from "../support/runtime.ts";

/** A host as a process of its own, and the pids of its extensions. */
async function embedder(
  manifests: readonly object[],
  ...rest: string[]
): Promise<{ child: ChildProcess; pids: number[]; exited: Promise<unknown[]> }> {
  const { command, args } = fixture("host_embedder", JSON.stringify(manifests), ...rest);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let text = "";
  for await (const chunk of child.stdout!) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return { child, pids: JSON.parse(text), exited };
}

const sdk = [
  { id: "dhara", protocol: "dhara", ...fixture("dhara_server") },
  { id: "mx", protocol: "mx", ...fixture("host_sdk_mx") },
];

test("[X-21] [D1] [D17] kill -9 of the host ends the extensions built on the SDK, whatever timers they have", async () => {
  const { child, pids, exited } = await embedder(sdk);
  assert.equal(pids.length, 2);
  child.kill("SIGKILL");
  await exited;
  await Promise.all(pids.map(untilGone));
});

test("[X-21] [D1] [D17] what they still print to a host that was killed does not keep them from cleaning up", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extwire-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const manifests = ["dhara", "mx"].map((protocol) => {
    return { id: protocol, protocol, ...fixture("chatty_sdk", protocol, join(folder, protocol)) };
  });
  const { child, pids, exited } = await embedder(manifests);
  child.kill("SIGKILL");
  await exited;
  await Promise.all(pids.map(untilGone));
  for (const { id } of manifests) assert.equal(readFileSync(join(folder, id), "utf8"), "clean");
});

test("[X-21] [D1] extensions that only read their stdin or their socket end too", async () => {
  const { child, pids, exited } = await embedder([dhara({}, { id: "d" }), mx({}, { id: "m" })]);
  child.kill("SIGKILL");
  await exited;
  await Promise.all(pids.map(untilGone));
});

test("[D2] a host that was closed keeps no process alive, with no call of exit", async () => {
  const { pids, exited } = await embedder(
    [...sdk, dhara({ shutdown: "ignore", ignoreEnd: true }, { id: "slow", shutdownTimeoutMs: 300 })],
    "close",
  );
  const [code, signal] = await exited;
  assert.deepEqual([code, signal], [0, null]);
  await Promise.all(pids.map(untilGone));
});

test("[D22] when stdin ends, a handler that waits has its signal aborted, and nothing is written after that", async () => {
  const { command, args } = fixture("dhara_server");
  const child = spawn(command, args, { stdio: "pipe" });
  let out = "";
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const closed = once(child, "close");
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: 1, method: "initialize", params: { version: "0.1.0", cwd: "/" } });
  send({ id: 2, method: "tools/execute", params: { toolName: "wait", input: {} } });
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      out += chunk;
      if (out.includes("waiting")) resolve();
    });
  });
  const before = out;
  child.stdin.end();
  assert.deepEqual(await closed, [0, null]);
  assert.match(errors, /^aborted: the other side closed the connection/);
  assert.equal(out, before);
});
