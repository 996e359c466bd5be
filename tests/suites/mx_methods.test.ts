/** The methods of MX v1 in both roles, each against an end that is written by hand (M-07 to M-09, M-17 to M-22). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ExtensionError, RpcError } from "../../src/rpc/errors.ts";
import { FakeTime } from "../support/fake_time.ts";
import { Inbox } from "../support/inbox.ts";
import type { Json } from "../support/messages.ts";
import { PATIENCE_MS } from "../support/mx.ts";
import { extending, hosting, ok, STATUS } from "../support/mx_sessions.ts";

test("[M-17] [M-18] the host asks for the status with params null, and reads the document's answer", async (t) => {
  const { end, session } = await hosting(t);
  const asking = session.reportStatus();
  assert.deepEqual(await end.json(), { jsonrpc: "2.0", id: 1, method: "extension.v1.reportStatus", params: null });
  end.send(ok(1, STATUS));
  assert.deepEqual(await asking, STATUS);
  for (const state of ["degraded", "failed"]) {
    const again = session.reportStatus();
    end.send(ok((await end.json()).id, { ...STATUS, state, more: 1 }));
    assert.deepEqual(await again, { ...STATUS, state });
  }
});

test("[M-18] an answer that is no status is a protocol error that names the field", async (t) => {
  const { end, session } = await hosting(t);
  const cases: [result: Json, why: RegExp][] = [
    [{ ...STATUS, state: "fine" }, /`state` must be one of ready, degraded, failed, not "fine"/],
    [{ ...STATUS, message: undefined }, /`message` is missing/],
    [{ ...STATUS, version: 1 }, /`version` must be a string/],
    [{ ...STATUS, protocolVersion: "1" }, /`protocolVersion` must be a whole number/],
    [{ ...STATUS, capabilities: "runtime.v1" }, /`capabilities` must be an array of strings/],
    [null, /^the result of extension\.v1\.reportStatus is not valid: it must be an object, not null$/],
    [[STATUS], /must be an object, not an array/],
  ];
  for (const [result, why] of cases) {
    const asking = session.reportStatus();
    end.send(ok((await end.json()).id, result));
    await assert.rejects(asking, (error: Json) => error.code === "protocol" && why.test(error.message));
  }
  const asking = session.reportStatus();
  end.send({ jsonrpc: "2.0", id: (await end.json()).id, error: { code: -32000, message: "not now" } });
  await assert.rejects(
    asking,
    (error) => error instanceof RpcError && error.code === -32000 && error.message === "not now",
  );
});

test("[M-17] [M-19] the host waits 5 s for a status and 2 s for the answer to a shutdown, and the session outlives both", async (t) => {
  const { end, session } = await hosting(t, { statusTimeoutMs: undefined });
  await FakeTime.run(async (time) => {
    const given: string[] = [];
    const giveUp = ({ code, message }: Json) => given.push(`${code} ${message}`);
    session.shutdown().catch(giveUp);
    session.reportStatus().catch(giveUp);
    await time.pass(1_999);
    assert.equal(given.length, 0);
    await time.pass(1);
    assert.match(given.join(), /^timeout .*extension\.v1\.shutdown within 2000 ms/);
    await time.pass(2_999);
    assert.equal(given.length, 1);
    await time.pass(1);
    assert.match(given[1] ?? "", /^timeout .*extension\.v1\.reportStatus within 5000 ms/);
  });
  await end.json();
  await end.json();
  assert.ok((await end.ask(1, "host.v1.listVms")).result);
});

test("[M-19] shutdown is asked with params null; any success is an answer, and so is hanging up", async (t) => {
  for (const result of [null, true, 0, "", { bye: [] }]) {
    const { end, session } = await hosting(t);
    const stopping = session.shutdown(PATIENCE_MS);
    const { id, ...request } = await end.json();
    assert.deepEqual(request, { jsonrpc: "2.0", method: "extension.v1.shutdown", params: null });
    end.send(ok(id, result));
    await stopping;
  }
  const { end, session } = await hosting(t);
  const stopping = session.shutdown(PATIENCE_MS);
  await end.json();
  end.socket.end();
  await stopping;
  const unwilling = await hosting(t);
  const refused = assert.rejects(unwilling.session.shutdown(PATIENCE_MS), RpcError);
  unwilling.end.send({ jsonrpc: "2.0", id: (await unwilling.end.json()).id, error: { code: -32601, message: "no" } });
  await refused;
});

test("[M-17] [M-18] an extension reports its status as in the document", async (t) => {
  const status: { state: "ready" | "degraded"; message: string } = { state: "ready", message: "watching" };
  const { end, client } = await extending(t, { version: "0.1.0", status: () => status });
  assert.deepEqual(await end.ask(1, "extension.v1.reportStatus", null), ok(1, STATUS));
  status.state = "degraded";
  assert.equal((await end.ask("again", "extension.v1.reportStatus", null)).result.state, "degraded");
  await client.close();

  const plain = await extending(t, { capabilities: [] });
  assert.deepEqual((await plain.end.ask(1, "extension.v1.reportStatus", null)).result, {
    ...STATUS,
    message: "",
    version: "0.0.0",
    capabilities: [],
  });
  plain.client.setStatus({ state: "failed", message: "no VM" });
  assert.deepEqual((await plain.end.ask(1, "extension.v1.reportStatus")).result.state, "failed");
});

test("[M-18] [C25] a status that can't be made is reported as failed, or as the error it was", async (t) => {
  let thrown: unknown = new Error("the camera is gone");
  const { end } = await extending(t, {
    status: () => {
      throw thrown;
    },
  });
  const { state, message } = (await end.ask(1, "extension.v1.reportStatus", null)).result;
  assert.deepEqual([state, message], ["failed", "the camera is gone"]);
  thrown = new RpcError(-32000, "busy");
  assert.deepEqual((await end.ask(2, "extension.v1.reportStatus", null)).error, { code: -32000, message: "busy" });
});

test("[M-19] an extension cleans up, then answers the shutdown, then ends the connection", async (t) => {
  const steps: string[] = [];
  let finish = () => {};
  const { end, client } = await extending(t, {
    onShutdown: () =>
      new Promise<void>((resolve) => {
        finish = () => {
          steps.push("cleaned up");
          resolve();
        };
      }),
  });
  client.signal.addEventListener("abort", () => steps.push("aborted"));
  end.send({ jsonrpc: "2.0", id: 1, method: "extension.v1.shutdown", params: null });
  // A second one waits for the same, and other methods are still answered.
  end.send({ jsonrpc: "2.0", id: 2, method: "extension.v1.shutdown", params: null });
  assert.equal((await end.ask(3, "extension.v1.reportStatus")).id, 3);
  finish();
  assert.deepEqual([await end.json(), await end.json()], [ok(1, null), ok(2, null)]);
  steps.push("answered");
  await end.ended;
  assert.equal((await client.closed).message, "the host asked for a shutdown");
  assert.deepEqual(steps, ["aborted", "cleaned up", "answered"]);
  await assert.rejects(client.listVms(), { code: "closed" });
});

test("[M-19] [C25] an extension whose cleaning up fails says so in its answer, and leaves all the same", async (t) => {
  const { end, client } = await extending(t, { onShutdown: () => Promise.reject(new Error("disk full")) });
  const answer = await end.ask(1, "extension.v1.shutdown", null);
  assert.deepEqual(answer.error, { code: -32603, message: "disk full" });
  await end.ended;
  assert.equal(client.signal.aborted, true);
});

test("[M-21] listVms is answered with the array that the runtime has", async (t) => {
  const vms = [
    { id: "a", name: "ü", cpus: 4 },
    { id: "b", name: "B", nested: { x: [1] } },
  ];
  const { end, gate } = await hosting(t, { vms: { list: () => vms, capture: () => undefined } });
  for (const params of [undefined, null, {}, [], { any: 1 }])
    assert.deepEqual((await end.ask(2, "host.v1.listVms", params)).result, vms);
  end.destroy();
  await gate.sessions.all[0]!.closed;
  const client = await gate.client();
  assert.deepEqual(await client.listVms(), vms);
  await client.close();
});

test("[M-21] an extension takes nothing but an array of objects for the list", async (t) => {
  const { client, end } = await extending(t);
  for (const [result, why] of [
    [{ vms: [] }, /must be an array, not an object/],
    [[1], /each entry must be an object/],
    [null, /must be an array, not null/],
  ] as const) {
    const listing = client.listVms();
    end.send(ok((await end.json()).id, result));
    await assert.rejects(listing, (error: Json) => error.code === "protocol" && why.test(error.message));
  }
  const listing = client.listVms();
  end.send(ok((await end.json()).id, []));
  assert.deepEqual(await listing, []);
});

test("[M-22] [X-03] the host's request 1 and the extension's request 1 are in flight together and never mixed up", async (t) => {
  const finishers = new Inbox<(vms: Json[]) => void>();
  const list = () => new Promise<Json[]>((resolve) => finishers.push(resolve));
  const { end, session } = await hosting(t, { vms: { list, capture: () => undefined } });
  end.send({ jsonrpc: "2.0", id: 1, method: "host.v1.listVms" });
  const finish = await finishers.next();
  const asking = session.reportStatus();
  assert.equal((await end.json()).id, 1);
  assert.equal(session.peer.pending, 1);
  // Theirs is answered while ours waits, then ours.
  finish([{ id: "x" }]);
  assert.deepEqual(await end.json(), ok(1, [{ id: "x" }]));
  assert.equal(session.peer.pending, 1);
  end.send(ok(1, STATUS));
  assert.deepEqual(await asking, STATUS);

  // The same from the other side: an extension's second request has the id 2, and so has the host's.
  const extension = await extending(t, { status: () => new Promise(() => {}) });
  const listing = extension.client.listVms();
  assert.equal((await extension.end.json()).id, 2);
  extension.end.send({ jsonrpc: "2.0", id: 2, method: "extension.v1.reportStatus", params: null });
  extension.end.send(ok(2, [{ id: "y", name: "Y" }]));
  assert.deepEqual(await listing, [{ id: "y", name: "Y" }]);
  assert.equal(extension.client.peer.serving, 1);
});

test("[M-07] [M-09] [C15] an unknown method is -32601 with its name, also one that every object has", async (t) => {
  const { end } = await hosting(t);
  const extension = await extending(t);
  for (const method of [
    "host.v1.reboot",
    "",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "toString",
    "host.v1.hello ",
    "ü😀",
  ]) {
    const error = { code: -32601, message: `method not found: ${method}` };
    assert.deepEqual(await end.ask(1, method), { jsonrpc: "2.0", id: 1, error });
    assert.deepEqual(await extension.end.ask(1, method), { jsonrpc: "2.0", id: 1, error });
  }
  // The other direction's methods are unknown in this one.
  assert.equal((await end.ask(1, "extension.v1.shutdown")).error.code, -32601);
  assert.equal((await extension.end.ask(1, "host.v1.listVms")).error.code, -32601);
});

test("[M-07] [M-08] [C15] params that do not fit are -32602 with the reason and the field's name", async (t) => {
  const { end } = await hosting(t);
  const cases: [params: Json, message: RegExp][] = [
    [undefined, /params must be an object, not nothing/],
    [null, /params must be an object, not null/],
    [["demo"], /params must be an object, not an array/],
    [{}, /field `vmId` is missing: it must be a string/],
    [{ vmid: "demo" }, /field `vmId` is missing/],
    [{ vmId: 1 }, /field `vmId` must be a string, not a number/],
    [{ vmId: null }, /field `vmId` must be a string, not null/],
    [{ vmId: {} }, /field `vmId` must be a string, not an object/],
    [{ vmId: "nowhere" }, /field `vmId` names no VM: "nowhere"/],
    [{ vmId: "__proto__" }, /field `vmId` names no VM/],
  ];
  for (const [params, message] of cases) {
    const { error } = await end.ask(2, "host.v1.captureFramebuffer", params);
    assert.equal(error.code, -32602);
    assert.match(error.message, message);
  }
});

test("[M-07] what the runtime fails with is an application error, -32000, and an RpcError stays what it is", async (t) => {
  let thrown: unknown = new Error("hypervisor is down");
  const fail = () => {
    throw thrown;
  };
  const { end } = await hosting(t, { vms: { list: fail, capture: fail } });
  assert.deepEqual((await end.ask(2, "host.v1.listVms")).error, {
    code: -32000,
    message: "the VMs can't be listed: hypervisor is down",
  });
  const { error } = await end.ask(3, "host.v1.captureFramebuffer", { vmId: "a" });
  assert.deepEqual(error, { code: -32000, message: 'VM "a" can\'t be captured: hypervisor is down' });
  thrown = new RpcError(-32050, "locked", { until: 1 });
  assert.deepEqual((await end.ask(4, "host.v1.listVms")).error, {
    code: -32050,
    message: "locked",
    data: { until: 1 },
  });
});

test("[X-19] the gate's explain makes the error that everything of a session rejects with, and is not asked about strangers", async (t) => {
  let asked = 0;
  let found = () => {};
  const { gate, end, session } = await hosting(t, {
    explain: async (cause) => {
      asked++;
      await new Promise<void>((resolve) => (found = resolve));
      return new ExtensionError("exited", "it exited with code 7", { cause, exitCode: 7 });
    },
  });
  const stranger = await gate.connect();
  stranger.socket.end();
  assert.equal((await gate.refused.next()).code, "disconnected");
  assert.equal(asked, 0);
  const calling = session.peer.request("any");
  calling.catch(() => {});
  await end.json();
  end.socket.end();
  await end.ended;
  // While the reason is looked for, its place is free.
  (await gate.greeted()).destroy();
  found();
  await assert.rejects(calling, { code: "exited", exitCode: 7 });
  assert.equal((await session.closed).exitCode, 7);
});
