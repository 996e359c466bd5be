/** MX extensions as real processes: their environment, their end, and their host's (M-14, M-19, M-20, X-21). */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { node } from "../../src/adapters/node.ts";
import type { ExtensionProcess } from "../../src/host/platform.ts";
import { FakeTime } from "../support/fake_time.ts";
import { Inbox } from "../support/inbox.ts";
import { DEAD_ADDRESS, ID, PATIENCE_MS } from "../support/mx.ts";
import { openGate, openHost } from "../support/mx_sessions.ts";
import { untilGone } from "../support/processes.ts";
import { fixture } from "../support/runtime.ts";

interface Context {
  after(fn: () => unknown): void;
}

interface Running {
  readonly process: ExtensionProcess;
  /** Lines of stderr; over when the process is. */
  readonly lines: Inbox<string>;
  /** Rejects then. */
  readonly over: Promise<never>;
  stdoutBytes(): number;
}

const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith("MX_"),
  ),
);

async function run(t: Context, env: Record<string, string>, behaviour: unknown = {}): Promise<Running> {
  const child = await node().spawn({
    ...fixture("mx_sdk", JSON.stringify(behaviour)),
    env: { ...ENVIRONMENT, ...env },
  });
  t.after(() => child.kill("SIGKILL"));
  const lines = new Inbox<string>();
  let text = "";
  child.onStderr((chunk) => {
    text += Buffer.from(chunk).toString();
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      lines.push(text.slice(0, end));
      text = text.slice(end + 1);
    }
  });
  const over = child.exited.then(async ({ code, signal }): Promise<never> => {
    await child.drained;
    const error = new Error(`the process ended (${code ?? signal}) after: ${lines.all.join("\n")}`);
    lines.end(error);
    throw error;
  });
  over.catch(() => {});
  let stdoutBytes = 0;
  child.stdio.open({ data: (chunk) => void (stdoutBytes += chunk.length), end() {} });
  return { process: child, lines, over, stdoutBytes: () => stdoutBytes };
}

async function started(t: Context, behaviour: unknown = {}) {
  const gate = await openGate(t);
  const running = await run(t, gate.gate.environment(gate.address), behaviour);
  const session = await Promise.race([gate.sessions.next(), running.over]);
  assert.match(await running.lines.next(), /^captured 8 x 4 in 128 bytes for com\.example\.one-[0-9a-f]{16}$/);
  return { gate, session, ...running };
}

test("[M-14] [M-20] [X-15] [B15] a process finds the four variables and nothing else it needs, and nobody sees its token in the list of processes", async (t) => {
  const { gate, session, process: child } = await started(t);
  const environment = gate.gate.environment(gate.address);
  assert.deepEqual(Object.keys(environment).toSorted(), [
    "MX_EXTENSION_HOST",
    "MX_EXTENSION_ID",
    "MX_EXTENSION_PROTOCOL",
    "MX_EXTENSION_TOKEN",
  ]);
  assert.match(environment["MX_EXTENSION_HOST"]!, /^127\.0\.0\.1:\d+$/);
  assert.deepEqual([environment["MX_EXTENSION_ID"], environment["MX_EXTENSION_PROTOCOL"]], [ID, "1"]);
  const { state, message, version } = await session.reportStatus();
  assert.deepEqual([state, message, version], ["ready", `pid ${child.pid}`, "1.2.3"]);
  const listed = spawn("ps", ["-ww", "-o", "args=", "-p", String(child.pid)], { stdio: ["ignore", "pipe", "ignore"] });
  let args = "";
  for await (const chunk of listed.stdout) args += chunk;
  assert.ok(args.includes("mx_sdk") && !args.includes(gate.token), args);
});

test("[M-19] [D15] on shutdown a process cleans up, answers, prints all it has, and exits with code 0, whatever timers it has", async (t) => {
  const { session, lines, ...running } = await started(t, { cleanUpMs: 1_000, prints: 1_000_000 });
  await session.shutdown(PATIENCE_MS);
  assert.deepEqual([await lines.next(), await lines.next(), await lines.next()], ["aborted", "cleaning up", "clean"]);
  assert.deepEqual(await running.process.exited, { code: 0, signal: null });
  assert.equal((await session.closed).code, "disconnected");
  await running.process.drained;
  assert.equal(running.stdoutBytes(), 1_000_000);
  assert.equal(lines.size, 0);
});

test("[M-19] [D10] a process whose cleaning up hangs is not answered for: the host has waited 2 s and may kill it", async (t) => {
  const { session, lines, ...running } = await started(t, { cleanUp: "hangs" });
  await FakeTime.run(async (time) => {
    const refused = assert.rejects(session.shutdown(), {
      code: "timeout",
      message: /extension\.v1\.shutdown within 2000 ms/,
    });
    assert.equal(await lines.next(), "aborted");
    await time.pass(2_000);
    await refused;
  });
  running.process.kill("SIGKILL");
  assert.deepEqual(await running.process.exited, { code: null, signal: "SIGKILL" });
});

test("[M-19] a process whose cleaning up fails says so in its answer and on stderr, and exits with code 1", async (t) => {
  const { session, lines, ...running } = await started(t, { cleanUp: "fails" });
  await assert.rejects(session.shutdown(PATIENCE_MS), { code: -32603, message: "disk full" });
  assert.deepEqual(
    [await lines.next(), await lines.next(), await lines.next()],
    ["aborted", "cleaning up", "disk full"],
  );
  assert.equal((await running.process.exited).code, 1);
});

test("[X-21] [D17] when the connection ends without a shutdown, a process cleans up once and exits with code 1, whatever timers it has", async (t) => {
  const { gate, lines, ...running } = await started(t, { cleanUpMs: 100 });
  await gate.gate.close();
  assert.deepEqual([await lines.next(), await lines.next(), await lines.next()], ["aborted", "cleaning up", "clean"]);
  assert.equal((await running.process.exited).code, 1);
  assert.equal(lines.size, 0);
});

test("[X-21] a process whose cleaning up hangs ends all the same when its host is gone", async (t) => {
  const { gate, lines, ...running } = await started(t, { cleanUp: "hangs" });
  await gate.gate.close();
  assert.equal(await lines.next(), "aborted");
  assert.equal((await running.process.exited).code, 1);
});

test("[X-21] [D1] when its host is killed with SIGKILL, a process exits, whatever timers it has", async (t) => {
  const { command, args } = fixture("mx_sdk", "{}");
  const gate = fixture("mx_gate", command, ...args);
  const host = spawn(gate.command, gate.args, { stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => host.kill("SIGKILL"));
  let text = "";
  for await (const chunk of host.stdout) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  const pid = Number(/^pid (\d+)$/m.exec(text)?.[1]);
  t.after(() => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It is gone, as it should be.
    }
  });
  host.kill("SIGKILL");
  await untilGone(pid);
});

test("[X-21] [X-13] [D24] a process whose host sends garbage says what was wrong, and exits with code 1", async (t) => {
  const host = await openHost(t);
  const { lines, ...running } = await run(t, {
    MX_EXTENSION_HOST: host.address,
    MX_EXTENSION_TOKEN: "t0ken",
    MX_EXTENSION_ID: ID,
    MX_EXTENSION_PROTOCOL: "1",
  });
  const end = await host.connections.next();
  const { id, params } = await end.json();
  assert.equal(params.token, "t0ken");
  end.send({ jsonrpc: "2.0", id, result: { protocolVersion: 1, hostCapabilities: [], sessionId: "x-1" } });
  end.send({ jsonrpc: "2.0", id: (await end.json()).id, result: [{ id: "a" }] });
  await end.json();
  end.socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
  const said: string[] = [];
  while (!said.some((line) => line.includes("looks like text"))) said.push(await lines.next());
  assert.equal((await running.process.exited).code, 1);
});

test("[M-14] a process without its variables, without a host, or refused by it says why and exits with code 1", async (t) => {
  const gate = await openGate(t);
  const good = gate.gate.environment(gate.address);
  const { MX_EXTENSION_TOKEN: token, ...withoutToken } = good as Record<string, string> & {
    MX_EXTENSION_TOKEN: string;
  };
  const cases: [env: Record<string, string>, why: RegExp][] = [
    [withoutToken, /MX_EXTENSION_TOKEN is not in the environment/],
    [{ ...good, MX_EXTENSION_HOST: "" }, /MX_EXTENSION_HOST is not in the environment/],
    [{ ...good, MX_EXTENSION_HOST: "localhost" }, /MX_EXTENSION_HOST is "localhost": it must be HOST:PORT/],
    [{ ...good, MX_EXTENSION_HOST: DEAD_ADDRESS }, /no host listens at 127\.0\.0\.1:\d+/],
    [{ ...good, MX_EXTENSION_PROTOCOL: "2" }, /protocol version 2/],
    [{ ...good, MX_EXTENSION_TOKEN: "wr0ng" }, /hello token is not the token issued for this extension \(-32602\)/],
    [{ ...good, MX_EXTENSION_ID: "com.example.two" }, /`extensionId` must be the extension this socket was opened for/],
  ];
  await Promise.all(
    cases.map(async ([env, why]) => {
      const { lines, ...running } = await run(t, env);
      for (let line = ""; !why.test(line); ) line = await lines.next();
      assert.notEqual((await running.process.exited).code, 0);
      for (const line of lines.all) assert.ok(!line.includes(token) && !line.includes("wr0ng"), line);
    }),
  );
});

test("a process that ends its connection itself goes on, and one that asked for no exit too", async (t) => {
  const closing = await started(t, { closes: true });
  assert.deepEqual([await closing.lines.next(), await closing.lines.next()], ["aborted", "closed"]);
  assert.deepEqual(await closing.process.exited, { code: 0, signal: null });

  const staying = await started(t, { exit: false });
  await staying.session.shutdown(PATIENCE_MS);
  await staying.session.closed;
  const { exited } = staying.process;
  for (const line of ["aborted", "cleaning up", "clean", "stays"])
    assert.equal(await Promise.race([staying.lines.next(), exited]), line);
  staying.process.kill("SIGTERM");
  assert.equal((await staying.process.exited).signal, "SIGTERM");
});
