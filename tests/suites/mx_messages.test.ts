/** What JSON-RPC means in frames, in both roles: ids, answers, errors and what is none of them (M-07, X-01 to X-04). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { frame, type Json } from "../support/messages.ts";
import { bothRoles, extending, hosting, ok, STATUS } from "../support/mx_sessions.ts";

test("[M-07] [C8] [X-05] bad JSON is -32700 with id null, and everything after it works, in both roles", async (t) => {
  for (const { end } of await bothRoles(t)) {
    for (const text of [
      "{bad",
      "",
      '{"jsonrpc"',
      "{} {}",
      '{"jsonrpc":"2.0","id":3,"method":"x","params":{"a":NaN}}',
    ]) {
      await end.write(frame(0, text));
      const { id, error } = await end.json();
      assert.deepEqual([id, error.code], [null, -32700], text);
    }
    assert.equal((await end.ask(1, "nothing")).error.code, -32601);
  }
});

test("[M-07] what is JSON and no request is -32600, with its id where it has one, in both roles", async (t) => {
  for (const { end } of await bothRoles(t)) {
    for (const [message, id] of [
      [17, null],
      ["text", null],
      [null, null],
      [{}, null],
      [{ jsonrpc: "1.0", id: 4, method: "x" }, 4],
      [{ jsonrpc: "2.0", id: 5, method: 6 }, 5],
      [{ id: "s", method: "x" }, "s"],
    ] as const) {
      end.send(message);
      const answer = await end.json();
      assert.deepEqual([answer.id, answer.error.code], [id, -32600], JSON.stringify(message));
    }
    assert.equal((await end.ask(1, "nothing")).error.code, -32601);
  }
});

test("[X-02] [C7] an array in a frame is one -32600 with id null, whatever is in it, in both roles", async (t) => {
  for (const { end } of await bothRoles(t)) {
    const request = { jsonrpc: "2.0", id: 2, method: "host.v1.listVms" };
    for (const batch of [[], [1], [null, null], [request], [{ jsonrpc: "2.0", method: "note" }], [request, 7]]) {
      end.send(batch);
      const { id, error } = await end.json();
      assert.deepEqual([id, error.code], [null, -32600], JSON.stringify(batch));
    }
    assert.equal((await end.ask(1, "nothing")).error.code, -32601);
  }
});

test("[X-03] [C1] [C3] ids come back with value and type, in both roles", async (t) => {
  for (const { end } of await bothRoles(t)) {
    for (const id of [0, -1, 1, 9_007_199_254_740_991, -9_007_199_254_740_991, "", "1", "init-1", "é😀", 'a"\n']) {
      assert.equal((await end.ask(id, "nothing")).id, id);
    }
  }
});

test("[X-03] [C6] an id that can't be echoed exactly is refused with -32600 and id null, in both roles", async (t) => {
  for (const { end } of await bothRoles(t)) {
    for (const id of ["9007199254740993", "1.5", "1e400", "-0", "null", "true", "[1]", "{}"]) {
      const text = `{"jsonrpc":"2.0","id":${id},"method":"host.v1.listVms"}`;
      await end.write(frame(0, text));
      const answer = await end.json();
      assert.deepEqual([answer.id, answer.error.code], [null, -32600], id);
    }
    // 1e3 is 1000, which can be echoed.
    const text = '{"jsonrpc":"2.0","id":1e3,"method":"nothing"}';
    await end.write(frame(0, text));
    assert.equal((await end.json()).id, 1000);
  }
});

test('[X-03] [C5] [C2] a second request with an id in flight is refused and the first goes on; 42 and "42" are two', async (t) => {
  const finish: ((vms: Json[]) => void)[] = [];
  const { end } = await hosting(t, {
    vms: { list: () => new Promise((resolve) => finish.push(resolve)), capture: () => undefined },
  });
  end.send({ jsonrpc: "2.0", id: 42, method: "host.v1.listVms" });
  end.send({ jsonrpc: "2.0", id: "42", method: "host.v1.listVms" });
  const { id, error } = await end.ask(42, "host.v1.listVms");
  assert.deepEqual([id, error.code], [42, -32600]);
  assert.equal(finish.length, 2);
  finish[1]!([{ id: "string" }]);
  assert.deepEqual(await end.json(), ok("42", [{ id: "string" }]));
  finish[0]!([{ id: "number" }]);
  assert.deepEqual(await end.json(), ok(42, [{ id: "number" }]));
  end.send({ jsonrpc: "2.0", id: 42, method: "host.v1.listVms" });
  await end.ask(7, "nothing");
  finish[2]!([]);
  assert.deepEqual(await end.json(), ok(42, []));
});

test("[X-01] [C24] what an answer must be: null is a success, neither or both fails that call only, in both roles", async (t) => {
  for (const { peer, end } of await bothRoles(t)) {
    const answered = async (members: Json): Promise<Json> => {
      const calling = peer.request("any").then(
        (value) => ({ value }),
        (error: Json) => error,
      );
      end.send({ jsonrpc: "2.0", id: (await end.json()).id, ...members });
      return calling;
    };
    assert.deepEqual(await answered({ result: null }), { value: null });
    assert.deepEqual(await answered({ result: 0 }), { value: 0 });
    for (const members of [
      {},
      { result: 1, error: null },
      { result: 1, error: { code: 1, message: "x" } },
      { error: "text" },
      { error: { message: "no code" } },
      { error: null },
    ]) {
      const error = await answered(members);
      assert.equal(error.code, "protocol", JSON.stringify(members));
    }
    assert.equal((await answered({ error: { code: -32000, message: "theirs", data: [1] } })).data[0], 1);
  }
});

test("[X-01] [C8] [C16] an error or a result with id null, or an id alone, is no end, and is never answered, in both roles", async (t) => {
  const { end, gate } = await hosting(t);
  const seen: string[] = [];
  const extension = await extending(t, { onDiagnostic: ({ code }) => seen.push(code) });
  for (const each of [end, extension.end]) {
    each.send({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } });
    each.send({ jsonrpc: "2.0", id: null, result: { status: "ok" } });
    each.send({ jsonrpc: "2.0", id: 1_000 });
    assert.equal((await each.ask(1, "nothing")).id, 1);
  }
  const told = ["unexpected-answer", "unexpected-answer"];
  assert.deepEqual(seen, told);
  assert.deepEqual(
    gate.diagnostics.all.map(({ code }) => code),
    [...told, "refused-request"],
  );
});

test("[X-04] [C9] [C20] an answer that comes after the timeout or the abort is dropped, and the next call works, in both roles", async (t) => {
  const { end, session, gate } = await hosting(t);
  const extension = await extending(t, { onDiagnostic: () => assert.fail("no noise") });
  const late = assert.rejects(session.reportStatus(20), { code: "timeout" });
  const { id } = await end.json();
  await late;
  end.send(ok(id, STATUS));
  const asking = session.reportStatus();
  end.send(ok((await end.json()).id, STATUS));
  assert.deepEqual(await asking, STATUS);
  assert.deepEqual(gate.diagnostics.all, []);

  const aborting = new AbortController();
  const aborted = assert.rejects(extension.client.listVms({ signal: aborting.signal }), /enough/);
  const first = await extension.end.json();
  const timely = assert.rejects(extension.client.listVms({ timeoutMs: 20 }), { code: "timeout" });
  const second = await extension.end.json();
  aborting.abort(new Error("enough"));
  await aborted;
  await timely;
  for (const request of [first, second]) extension.end.send(ok(request.id, []));
  const listing = extension.client.listVms();
  extension.end.send(ok((await extension.end.json()).id, []));
  assert.deepEqual(await listing, []);
});

test('[C1] an answer whose id is "1" for 1 is no answer, and the call fails at once and says so, in both roles', async (t) => {
  for (const { peer, end } of await bothRoles(t)) {
    const calling = peer.request("any");
    end.send(ok(String((await end.json()).id), 1));
    await assert.rejects(calling, { code: "protocol", message: /an id must come back with its type/ });
  }
});

test("[C11] a result that JSON has no form for is an error of that call, in both roles", async (t) => {
  let result: Json;
  const { end } = await hosting(t, { vms: { list: () => result, capture: () => undefined } });
  const extension = await extending(t, { capabilities: [1n] as never });
  const cycle: Json = [];
  cycle.push(cycle);
  for (result of [
    [1n],
    cycle,
    [
      {
        toJSON: () => {
          throw Object.create(null);
        },
      },
    ],
  ]) {
    const { id, error, result: none } = await end.ask(3, "host.v1.listVms");
    assert.deepEqual([id, error.code, none], [3, -32603, undefined]);
  }
  assert.equal((await extension.end.ask(3, "extension.v1.reportStatus")).error.code, -32603);
  assert.equal((await extension.end.ask(4, "nothing")).error.code, -32601);
});

test("[C12] an answer with NaN fails its call at once, and says where, in both roles", async (t) => {
  for (const { peer, end } of await bothRoles(t)) {
    const refused = assert.rejects(peer.request("any"), {
      code: "protocol",
      message: /invalid JSON in the message at offset \d+/,
    });
    const { id } = await end.json();
    const text = `{"jsonrpc":"2.0","id":${id},"result":{"x":NaN}}`;
    await end.write(frame(0, text));
    await refused;
  }
});

test("[X-06] [C14] params nested too deep are refused with their id and the limit's name, in both roles", async (t) => {
  for (const { end } of await bothRoles(t)) {
    for (const depth of [200, 10_000, 200_000]) {
      const text = `{"jsonrpc":"2.0","id":${depth},"method":"nothing","params":${"[".repeat(depth)}${"]".repeat(depth)}}`;
      await end.write(frame(0, text));
      const { id, error } = await end.json();
      assert.equal(id, depth);
      assert.equal(error.code, depth === 200 ? -32601 : -32600);
      if (depth > 200) assert.match(error.message, /maxDepth \(1000 levels\)/);
    }
  }
});

test("[X-06] more requests in flight than maxInFlight are refused one by one, and the others go on", async (t) => {
  const finish: ((vms: Json[]) => void)[] = [];
  const { end } = await hosting(t, {
    limits: { maxInFlight: 2 },
    vms: { list: () => new Promise((resolve) => finish.push(resolve)), capture: () => undefined },
  });
  for (const id of [2, 3]) end.send({ jsonrpc: "2.0", id, method: "host.v1.listVms" });
  const { id, error } = await end.ask(4, "host.v1.listVms");
  assert.deepEqual([id, error.code], [4, -32000]);
  assert.match(error.message, /in flight than maxInFlight \(2\)/);
  for (const each of finish) each([]);
  assert.deepEqual([(await end.json()).id, (await end.json()).id], [2, 3]);
});

test("[C24] [D23] when the other side goes, everything in flight rejects once with the same reason, in both roles", async (t) => {
  const { end, session } = await hosting(t);
  const extension = await extending(t);
  const calls = Array.from({ length: 20 }, () => session.peer.request("any"));
  const theirs = [
    ...Array.from({ length: 10 }, () => extension.client.listVms()),
    ...Array.from({ length: 10 }, () => extension.client.captureFramebuffer("demo")),
  ];
  const settled = Promise.allSettled(calls);
  const theirsSettled = Promise.allSettled(theirs);
  for (let i = 0; i < 20; i++) await end.json();
  for (let i = 0; i < 20; i++) await extension.end.json();
  end.destroy();
  extension.end.destroy();
  const reasons = new Set((await settled).map((each) => (each as PromiseRejectedResult).reason));
  assert.equal(reasons.size, 1);
  assert.equal([...reasons][0].code, "disconnected");
  assert.equal(await session.closed, [...reasons][0]);
  const theirReasons = new Set((await theirsSettled).map((each) => (each as PromiseRejectedResult).reason));
  assert.equal(theirReasons.size, 1);
  assert.equal(await extension.client.closed, [...theirReasons][0]);
});

test("[M-09] [M-08] what an extension asks or tells in vain is a diagnostic of its host, who fails itself is none", async (t) => {
  const vms = {
    list: () => {
      throw new Error("the host's own fault");
    },
    capture: () => undefined,
  };
  const { gate, end } = await hosting(t, { vms });
  await end.ask(2, "host.v1.captureFrameBuffer", { vmId: "demo" });
  await end.ask(3, "host.v1.captureFramebuffer", { vmId: "none" });
  await end.ask(4, "host.v1.captureFramebuffer", ["demo"]);
  end.send({ jsonrpc: "2.0", method: "host.v1.log", params: { text: "hello" } });
  await end.ask("long", "x".repeat(50_000));
  await end.ask(5, "host.v1.listVms");
  const refused = (method: string, why: string) =>
    `refused-request: its request "${method}" was answered with the error ${why}`;
  const long = refused(`${"x".repeat(120)}…`, `-32601: method not found: ${"x".repeat(482)}…`);
  assert.deepEqual(
    gate.diagnostics.all.map(({ code, message }) => `${code}: ${message}`),
    [
      refused("host.v1.captureFrameBuffer", "-32601: method not found: host.v1.captureFrameBuffer"),
      refused("host.v1.captureFramebuffer", '-32602: field `vmId` names no VM: "none"'),
      refused("host.v1.captureFramebuffer", "-32602: params must be an object, not an array"),
      'unknown-notification: unknown notification "host.v1.log"',
      long,
    ],
  );
});
