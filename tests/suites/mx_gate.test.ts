/** Whom a gate has at a time, how long it waits, and how it ends (M-16, M-17, X-12, X-14), over the pair in memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scalarCodec as codec } from "../../codec/scalar.ts";
import { MxClient, type MxClientOptions } from "../../src/mx/extension.ts";
import { MxGate, type MxGateOptions } from "../../src/mx/host.ts";
import { testPattern } from "../../src/mx/test_pattern.ts";
import type { Channel, Diagnostic } from "../../src/rpc/channel.ts";
import { ExtensionError } from "../../src/rpc/errors.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { nextTurn } from "../../src/rpc/turn.ts";
import { FakeTime } from "../support/fake_time.ts";
import { HandChannel } from "../support/hand_channel.ts";
import { Inbox } from "../support/inbox.ts";
import { rejected } from "../support/rejected.ts";

const id = "com.example.one";

function openGate(options: Partial<MxGateOptions> = {}) {
  const refused: string[] = [];
  const gate = new MxGate({
    id,
    codec,
    vms: testPattern({ width: 8, height: 4 }),
    onSession: () => {},
    onRefused: ({ message }) => void refused.push(message),
    ...options,
  });
  const token = gate.environment("127.0.0.1:0")["MX_EXTENSION_TOKEN"] ?? "";
  const connect = (more: Partial<MxClientOptions> = {}) =>
    MxClient.connect(attached(gate), { id, token, codec, ...more });
  return { gate, token, refused, connect };
}

/** The far end of a new connection to the gate. */
function attached(gate: MxGate): Channel {
  const [theirs, ours] = memoryPair();
  gate.attach(theirs);
  return ours;
}

/** A connection to the gate by hand: what comes, and why it ended. */
function stranger(gate: MxGate) {
  const channel = attached(gate);
  const texts = new Inbox<string>();
  const ended = new Promise<void>((resolve) => {
    channel.open({ text: texts.push, binary() {}, diagnostic() {}, closed: () => resolve() });
  });
  return { channel, texts, ended };
}

test("[X-12] [X-14] a gate that closes ends who is pending too, with its reason, and takes nobody in from then on", async () => {
  const late: ReturnType<typeof stranger>[] = [];
  const capturing = new Inbox<void>();
  const capture = (_: string, call?: { readonly signal: AbortSignal }) =>
    new Promise<undefined>(() => {
      // Brings somebody while the gate is closing.
      call?.signal.addEventListener("abort", () => late.push(stranger(gate)));
      capturing.push();
    });
  const { gate, token, refused, connect } = openGate({ vms: { list: () => [], capture } });
  const pending = [stranger(gate), stranger(gate)];
  const client = await connect();
  const captured = rejected(client.captureFramebuffer("a"));
  await capturing.next();
  await gate.close(new ExtensionError("closed", "enough"));
  assert.deepEqual(refused, ["enough", "enough"]);
  for (const { ended } of pending) await ended;
  assert.equal(await captured, await client.closed);
  late.push(stranger(gate));
  for (const { channel, texts, ended } of late) {
    const params = { token, protocolVersion: 1, extensionId: id };
    channel.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "host.v1.hello", params }));
    await ended;
    assert.equal(texts.size, 0);
  }
  assert.equal(late.length, 2);
  assert.equal(gate.session, undefined);
});

test("[M-19] a gate that closes without a reason says who closed, and a process that has exited has answered its shutdown", async () => {
  const exited = new ExtensionError("exited", "it exited with code 0");
  const { gate, refused, connect } = openGate({ explain: () => exited });
  const client = await connect({ onShutdown: () => void client.close() });
  const session = gate.session;
  await session?.shutdown(0);
  assert.equal(await session?.closed, exited);
  stranger(gate);
  const again = await connect();
  const { session: second } = gate;
  await gate.close();
  assert.deepEqual(refused, ["the host closed the connection"]);
  assert.deepEqual([(await second?.closed)?.code, (await again.closed).code], ["closed", "disconnected"]);
});

test("[M-16] a host of many sessions in a row names each of them otherwise", async () => {
  const { gate, connect } = openGate();
  const names = new Set<string>();
  for (let i = 0; i < 300; i++) {
    const client = await connect();
    names.add(client.sessionId);
    await client.close();
    await gate.session?.closed;
  }
  assert.equal(names.size, 300);
  await gate.close();
});

test("[E4] four captures of a session are made at a time, and each that has failed makes room for the next", async () => {
  const failing = new Inbox<() => void>();
  const capture = () => new Promise<never>((_, reject) => failing.push(() => reject(new Error("it is off"))));
  const { gate, connect } = openGate({ vms: { list: () => [], capture } });
  const client = await connect();
  const captures = Array.from({ length: 9 }, (_, i) => rejected(client.captureFramebuffer(`vm ${i}`)));
  for (let left = 9; left > 0; left--) {
    await client.listVms();
    assert.equal(failing.size, Math.min(left, 4));
    (await failing.next())();
    await captures[9 - left];
  }
  await client.close();
  await gate.close();
});

test("[X-12] a gate has closed once all its connections have", async () => {
  const { gate } = openGate();
  const channel = new HandChannel();
  let finish = () => {};
  channel.close = () => new Promise((resolve) => (finish = resolve));
  gate.attach(channel);
  let closed = false;
  const closing = gate.close().then(() => (closed = true));
  await new Promise<void>(nextTurn);
  assert.equal(closed, false);
  finish();
  await closing;
});

test("[X-14] the end of one who was refused frees no place, and the end of a session is no refusal", async () => {
  const { gate, token, refused, connect } = openGate();
  const client = await connect();
  const session = gate.session;
  assert.match((await rejected(connect({ token: "guess" }))).message, /hello token is not the token/);
  assert.match((await rejected(connect({ token }))).message, /has a live session already/);
  assert.equal(gate.session, session);
  assert.equal(refused.length, 2);
  const both = [session?.closed, session?.closed];
  await client.close();
  for (const closed of both) assert.equal((await closed)?.code, "disconnected");
  assert.equal(refused.length, 2);
  await (await connect()).close();
  await gate.close();
});

test("[X-12] who makes two mistakes is told of both, and its end has the first as its reason", async () => {
  const { gate, refused } = openGate();
  const { channel, texts, ended } = stranger(gate);
  for (const method of ["host.v1.listVms", "host.v1.hello"]) {
    channel.send(JSON.stringify({ jsonrpc: "2.0", id: method, method }));
    if (method === "host.v1.listVms") channel.send("{");
  }
  await ended;
  assert.equal(texts.size, 3);
  assert.deepEqual(refused, ["host.v1.hello must be the first message on a new connection"]);
});

test("[M-17] [X-12] a gate waits for hello and status as long as it was told, and says no more than what is so", async () => {
  await FakeTime.run(async (time) => {
    const { gate, refused, connect } = openGate({ helloTimeoutMs: 70, statusTimeoutMs: 300 });
    const why = "no accepted host.v1.hello within 70 ms of connecting";
    const first = stranger(gate);
    const client = await connect({ status: () => new Promise(() => {}) });
    const asking = rejected(gate.session?.reportStatus() ?? Promise.resolve());
    await time.pass(50);
    const second = stranger(gate);
    await time.pass(20);
    await first.ended;
    assert.deepEqual(refused, [why]);
    await time.pass(50);
    await second.ended;
    assert.deepEqual(refused, [why, why]);
    await time.pass(180);
    assert.match((await asking).message, /extension\.v1\.reportStatus within 300 ms/);
    await client.close();
    await gate.close();
    assert.equal(time.timers, 0);
  });
});

test("[X-12] a gate has no timer once each of its connections was let in or has gone", async () => {
  await FakeTime.run(async (time) => {
    const { gate, connect } = openGate();
    const { channel } = stranger(gate);
    await channel.close();
    await (await connect()).close();
    await gate.session?.closed;
    assert.equal(time.timers, 0);
    await gate.close();
  });
});

test("[M-07] a list of VMs that fails later is the same application error as one that fails at once", async () => {
  const fail = () => {
    throw new Error("hypervisor is down");
  };
  for (const list of [fail, async () => fail()]) {
    const { gate, connect } = openGate({ vms: { list, capture: fail } });
    const client = await connect();
    const { code, message } = await rejected(client.listVms());
    assert.deepEqual([code, message], [-32000, "the VMs can't be listed: hypervisor is down"]);
    await client.close();
    await gate.close();
  }
});

test("[X-05] [X-14] what comes amiss is shown to whoever looks, but for what may hold a token", async () => {
  const told: string[] = [];
  const onDiagnostic = ({ message }: Diagnostic) =>
    void told.push(/: ("\{oops"|\(not shown: .*\))$/.exec(message)?.[1] ?? message);
  const { gate, token } = openGate({ onDiagnostic });
  const channel = new HandChannel();
  gate.attach(channel);
  const params = { token, protocolVersion: 1, extensionId: id };
  channel.says(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "host.v1.hello", params }));
  channel.says("{oops");
  channel.says(`{oops ${token}`);
  assert.deepEqual(told, ['"{oops"', "(not shown: it may hold a secret)"]);
  await gate.close();
});
