/** Who is let in, and who is not (M-05, M-06, M-10 to M-13, M-16, X-12), over real sockets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scalarCodec } from "../../codec/scalar.ts";
import { MxClient } from "../../src/mx/extension.ts";
import { MxGate } from "../../src/mx/host.ts";
import { testPattern } from "../../src/mx/test_pattern.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { FakeTime } from "../support/fake_time.ts";
import { frame, type Json, jsonFrame } from "../support/messages.ts";
import { connectTo, ID } from "../support/mx.ts";
import { openGate, openHost, refusedWith } from "../support/mx_sessions.ts";

test("[M-10] [M-12] [M-13] [M-16] the hello of the document is answered as in the document", async (t) => {
  const gate = await openGate(t);
  const end = await gate.connect();
  const answer = await end.ask(1, "host.v1.hello", { token: gate.token, protocolVersion: 1, extensionId: ID });
  const { sessionId, ...rest } = answer.result;
  assert.deepEqual(
    { ...answer, result: rest },
    { jsonrpc: "2.0", id: 1, result: { protocolVersion: 1, hostCapabilities: ["runtime.v1"] } },
  );
  assert.match(sessionId, /^com\.example\.one-[0-9a-f]{16}$/);
  assert.equal((await gate.sessions.next()).sessionId, sessionId);
  end.destroy();
  await gate.sessions.all[0]!.closed;
  const again = await gate.greeted();
  assert.notEqual((await gate.sessions.next()).sessionId, sessionId);
  again.destroy();
});

test("[M-05] [X-03] [C3] the id of a hello is a number or a string, and comes back as it was", async (t) => {
  const gate = await openGate(t);
  for (const id of [0, -7, 9_007_199_254_740_991, "", "1", "init-1", "ü😀"]) {
    const end = await gate.connect();
    end.send(gate.hello({}, id));
    const answer = await end.json();
    assert.equal(answer.id, id);
    assert.ok(answer.result);
    end.destroy();
    await (await gate.sessions.next()).closed;
  }
});

test("[M-06] a hello without an id is dropped: no answer, no session, and a proper one afterwards works", async (t) => {
  const gate = await openGate(t);
  const end = await gate.connect();
  const { id: _, ...withoutId } = gate.hello();
  end.send(withoutId);
  end.send(gate.hello({}, 5));
  const answer = await end.json();
  assert.equal(answer.id, 5);
  assert.ok(answer.result);
  // One answer, one session, and it is alive.
  assert.equal((await end.ask(6, "host.v1.listVms")).id, 6);
  assert.equal(gate.sessions.all.length, 1);
  // Later ones are dropped as well.
  end.send(withoutId);
  assert.equal((await end.ask(7, "host.v1.listVms")).id, 7);
  assert.deepEqual(
    gate.diagnostics.all.map(({ code, message }) => `${code}: ${message}`),
    Array(2).fill("unknown-notification: host.v1.hello came without an id and was dropped: a request needs one"),
  );
  end.destroy();
});

test("[M-10] [X-12] [B15] [C26] any other request before hello is refused, nothing is served, and the connection closes", async (t) => {
  const gate = await openGate(t);
  for (const method of ["host.v1.listVms", "host.v1.captureFramebuffer", "extension.v1.reportStatus", "nonsense"]) {
    const answer = await refusedWith(await gate.connect(), {
      jsonrpc: "2.0",
      id: "a",
      method,
      params: { vmId: "demo" },
    });
    assert.deepEqual(answer, {
      jsonrpc: "2.0",
      id: "a",
      error: { code: -32600, message: "host.v1.hello must be the first message on a new connection" },
    });
    assert.equal((await gate.refused.next()).code, "handshake-failed");
  }
  // A valid hello right behind it comes too late.
  const end = await gate.connect();
  await end.write(
    Buffer.concat([jsonFrame({ jsonrpc: "2.0", id: 1, method: "host.v1.listVms" }), jsonFrame(gate.hello({}, 2))]),
  );
  assert.equal((await end.json()).error.code, -32600);
  assert.equal((await end.json()).error?.code, -32600);
  await end.ended;
  assert.equal(gate.sessions.all.length, 0);
});

test("[X-12] [X-02] [X-03] [M-07] what is no request at all before hello is answered with id null, and the connection closes", async (t) => {
  const gate = await openGate(t);
  const hello = JSON.stringify(gate.hello());
  const cases: [text: string, code: number][] = [
    ["{bad", -32700],
    [hello.slice(0, -2), -32700],
    [`[${hello}]`, -32600],
    ["[]", -32600],
    ["17", -32600],
    ['{"id":1,"method":"host.v1.hello"}', -32600],
    [hello.replace('"id":1', '"id":1.5'), -32600],
    [hello.replace('"id":1', '"id":9007199254740993'), -32600],
    [hello.replace('"id":1', '"id":null'), -32600],
  ];
  for (const [text, code] of cases) {
    const end = await gate.connect();
    await end.write(frame(0, text));
    const { id, error } = await end.json();
    assert.deepEqual([error.code, id], [code, text.startsWith('{"id":1') ? 1 : null], text);
    await end.ended;
  }
  assert.equal(gate.sessions.all.length, 0);
  for (const { message } of [...gate.diagnostics.all, ...gate.refused.all]) assert.ok(!message.includes(gate.token));
});

test("[M-11] a later hello is refused in the document's words, and the session goes on", async (t) => {
  const gate = await openGate(t);
  const end = await gate.greeted();
  for (const params of [{}, { token: "wrong" }, { protocolVersion: 2 }]) {
    end.send(gate.hello(params, 9));
    assert.deepEqual(await end.json(), {
      jsonrpc: "2.0",
      id: 9,
      error: { code: -32600, message: "host.v1.hello is only valid as the first message on a new connection" },
    });
  }
  assert.ok((await end.ask(10, "host.v1.listVms")).result);
  assert.equal(gate.sessions.all.length, 1);
  end.destroy();
});

test("[M-12] [M-13] [M-08] [X-12] a hello that does not fit is refused with -32602 and the field's name, and the connection closes", async (t) => {
  const gate = await openGate(t);
  const cases: [params: Json, why: RegExp][] = [
    [{ protocolVersion: 2 }, /`protocolVersion` must be 1, not 2/],
    [{ protocolVersion: "1" }, /`protocolVersion` must be a whole number, not a string/],
    [{ protocolVersion: 1.5 }, /`protocolVersion` must be a whole number, not 1\.5/],
    [{ protocolVersion: undefined }, /`protocolVersion` is missing/],
    [{ extensionId: "com.example.two" }, /`extensionId` must be the extension this socket was opened for/],
    [{ extensionId: null }, /`extensionId` must be a string, not null/],
    [{ token: undefined }, /`token` is missing/],
    [{ token: 7 }, /`token` must be a string, not a number/],
    [{ token: [gate.token] }, /`token` must be a string, not an array/],
  ];
  for (const [params, why] of cases) {
    const { error } = await refusedWith(await gate.connect(), gate.hello(params));
    assert.equal(error.code, -32602);
    assert.match(error.message, why);
  }
  for (const params of [undefined, null, [], "x", 3]) {
    const { error } = await refusedWith(await gate.connect(), { ...gate.hello(), params });
    assert.equal(error.code, -32602);
    assert.match(error.message, /params must be an object/);
  }
  assert.equal(gate.sessions.all.length, 0);
  assert.equal(gate.refused.all.length, cases.length + 5);
  // Members that this version does not know are no fault.
  const end = await gate.connect();
  end.send(gate.hello({ more: [1] }));
  assert.ok((await end.json()).result);
  end.destroy();
});

test("[X-12] [B3] [B9] whoever is not accepted within 5 s is closed, whatever it sends, and 100 at once as well", async (t) => {
  const gate = await openGate(t, { helloTimeoutMs: undefined });
  await FakeTime.run(async (time) => {
    const silent = await Promise.all(Array.from({ length: 100 }, () => gate.connect()));
    for (let count = 0; count < silent.length; count++) await gate.accepted.next();
    for (let second = 0; second < 4; second++) {
      await time.pass(1_000);
      // Notifications and frames that are skipped do not count as a hello, and put nothing off.
      await silent[0]!.write(jsonFrame({ jsonrpc: "2.0", method: "host.v1.hello" }));
      await silent[0]!.write(frame(9, "skipped"));
      await gate.diagnostics.next();
    }
    await time.pass(999);
    assert.equal(gate.refused.all.length, 0, "not before its time");
    await time.pass(1);
    await Promise.all(silent.map((end) => end.ended));
    assert.equal(gate.refused.all.length, 100);
  });
  for (const reason of gate.refused.all) assert.match(reason.message, /no accepted host\.v1\.hello within 5000 ms/);
});

test("[X-12] the deadline is that of each connection, and ends with the hello", async (t) => {
  const gate = await openGate(t, { helloTimeoutMs: 150 });
  // Over a pair in memory no hello is late, however busy the machine is.
  const [theirs, ours] = memoryPair();
  gate.gate.attach(theirs);
  const given = { id: ID, token: gate.token, codec: scalarCodec };
  const first = await MxClient.connect(ours, { ...given, handshakeTimeoutMs: 0 });
  const slow = await gate.connect();
  await slow.ended;
  const third = await gate.connect();
  await third.ended;
  assert.equal(gate.refused.all.length, 2);
  assert.equal((await first.listVms()).length, 1);
  await first.close();
});

test("[M-12] [M-16] an extension says hello as in the document, and takes what the host answers", async (t) => {
  const host = await openHost(t);
  const { client, hello } = await host.session({ token: "abc" });
  assert.deepEqual(hello, {
    jsonrpc: "2.0",
    id: 1,
    method: "host.v1.hello",
    params: { token: "abc", protocolVersion: 1, extensionId: ID },
  });
  assert.equal(client.sessionId, `${ID}-0011223344556677`);
  assert.deepEqual(client.hostCapabilities, ["runtime.v1"]);
  await client.close();
  await assert.rejects(connectTo(host.address, { protocol: 2 }), {
    code: "handshake-failed",
    message: /protocol version 2/,
  });
});

test("[M-16] [M-18] a host that answers the hello with something else is refused with a readable error", async (t) => {
  const host = await openHost(t);
  const good = { protocolVersion: 1, hostCapabilities: ["runtime.v1"], sessionId: "x-1" };
  const cases: [answer: Json, why: RegExp][] = [
    [{ result: { ...good, protocolVersion: 2 } }, /protocol version 2/],
    [{ result: { ...good, sessionId: undefined } }, /`sessionId` is missing/],
    [{ result: { ...good, hostCapabilities: [1] } }, /`hostCapabilities` must be an array of strings/],
    [{ result: null }, /the result of host\.v1\.hello is not valid: it must be an object, not null$/],
    [{}, /neither a result nor an error/],
    [{ error: { code: -32600, message: "no" } }, /the host refused it: no \(-32600\)/],
  ];
  for (const [answer, why] of cases) {
    const refused = assert.rejects(
      connectTo(host.address),
      (error: Json) => error.code === "handshake-failed" && why.test(error.message),
    );
    const end = await host.connections.next();
    const { id } = await end.json();
    end.send({ jsonrpc: "2.0", id, ...answer });
    await refused;
    await end.ended;
  }
});

test("[C4] [X-08] a host that does not answer the hello is given up, without a word of cancelling", async (t) => {
  const host = await openHost(t);
  const refused = assert.rejects(connectTo(host.address, { handshakeTimeoutMs: 50 }), {
    code: "handshake-failed",
    message: /no answer to host\.v1\.hello within 50 ms/,
  });
  const end = await host.connections.next();
  await refused;
  await end.ended;
  assert.equal(end.frames.all.length, 1);
});

test("[C26] [M-17] what the host asks before and right behind its answer to the hello is answered after it", async (t) => {
  const host = await openHost(t);
  const connecting = connectTo(host.address);
  const end = await host.connections.next();
  const { id } = await end.json();
  const status = { jsonrpc: "2.0", id: 1, method: "extension.v1.reportStatus", params: null };
  const answer = {
    jsonrpc: "2.0",
    id,
    result: { protocolVersion: 1, hostCapabilities: ["runtime.v1"], sessionId: "x-1" },
  };
  await end.write(Buffer.concat([jsonFrame(status), jsonFrame(answer), jsonFrame({ ...status, id: 2 })]));
  const answers = [await end.json(), await end.json()];
  assert.deepEqual(new Set(answers.map((each) => each.id)), new Set([1, 2]));
  for (const { result } of answers) assert.deepEqual(result.capabilities, ["runtime.v1"]);
  await (await connecting).close();
});

test("[C25] a listener that throws, now or later, is reported and stops nothing", async (t) => {
  const gate = await openGate(t, {
    onSession: () => Promise.reject(new Error("later")),
    onRefused: () => {
      throw new Error("now");
    },
  });
  const end = await gate.greeted();
  await refusedWith(await gate.connect(), gate.hello({ token: "x" }));
  assert.ok((await end.ask(2, "host.v1.listVms")).result);
  assert.deepEqual(gate.diagnostics.all.map(({ message }) => message).toSorted(), [
    "a listener failed: later",
    "a listener failed: now",
  ]);
  end.destroy();
});

test("a gate that nobody came to closes, twice, and keeps nothing running", async () => {
  const gate = new MxGate({ id: ID, codec: scalarCodec, vms: testPattern(), onSession: () => {} });
  await Promise.all([gate.close(), gate.close()]);
});
