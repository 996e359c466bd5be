/** Our Dhara host on extensions that are real processes: whole lives, calls given up, timeouts, progress. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { answer, endHosts, host, hostScript, said } from "../support/dhara_process.ts";
import { rejected } from "../support/rejected.ts";
import { fixture } from "../support/runtime.ts";

after(endHosts);

const CLEAN = { code: 0, signal: null };

test("[D-02] [D-07] [D-08] [D-09] [D-12] a host runs an extension of the library from its start to its exit", async () => {
  const hosted = await host(fixture("dhara_server"));
  const { session } = hosted;
  const { name, version, tools } = await session.initialize({ cwd: "/work" });
  assert.deepEqual([name, version, tools[0]?.name], ["dhara-server", "1.2.3", "echo"]);
  assert.equal(session.tools, tools);
  assert.deepEqual(await session.execute("echo", { text: "é — 😀" }), said("é — 😀"));
  const progress: string[] = [];
  assert.deepEqual(
    await session.execute("download", { steps: 2 }, { onProgress: (message) => progress.push(message) }),
    said("downloaded"),
  );
  assert.deepEqual(progress, ["1 of 2", "2 of 2", "Done"]);
  assert.deepEqual(
    (await session.execute("content")).content.map(({ type }) => type),
    ["text", "image", "image", "file"],
  );
  assert.equal((await session.execute("fails", { how: "says so" })).isError, true);
  assert.match(
    (await session.execute("pid")).content.map((each) => ("text" in each ? each.text : "")).join(""),
    / \/work$/,
  );
  assert.deepEqual(await hosted.stop(), CLEAN);
  assert.deepEqual(hosted.diagnostics, []);
});

test("[D-03] [D-06] [D-08] [X-07] what a host writes: initialize first, with version, protocolVersion and cwd, and calls with their id", async () => {
  const hosted = await hostScript({ on: { "tools/execute t": [answer("done")] } });
  await hosted.session.execute("t", { a: 1 });
  await hosted.session.execute("t");
  await hosted.stop();
  assert.deepEqual(hosted.received(), [
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { version: "0.1.0", protocolVersion: "0.1.0", cwd: process.cwd() },
    },
    {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/execute",
      params: { toolName: "t", input: { a: 1 }, toolCallId: "call-1" },
    },
    { jsonrpc: "2.0", id: 3, method: "tools/execute", params: { toolName: "t", input: {}, toolCallId: "call-2" } },
    { jsonrpc: "2.0", method: "shutdown" },
  ]);
});

test("[C9] [X-04] [X-08] an aborted call rejects at once, is cancelled by its id, and its late answer is nothing", async () => {
  const hosted = await hostScript({
    on: {
      "tools/execute t #1": ['{"jsonrpc":"2.0","method":"progress","params":{"message":"on it"}}'],
      "tools/cancel": [answer("late").replace('"ID"', "2")],
      "tools/execute t #2": [answer("second")],
    },
  });
  const controller = new AbortController();
  const reason = new Error("the user changed their mind");
  const onProgress = () => controller.abort(reason);
  assert.equal(await rejected(hosted.session.execute("t", {}, { signal: controller.signal, onProgress })), reason);
  assert.deepEqual(await hosted.session.execute("t"), said("second"));
  await hosted.stop();
  assert.deepEqual(hosted.diagnostics, []);
  assert.deepEqual(
    hosted.received().map(({ method, params }) => [method, params?.["toolCallId"]]),
    [
      ["initialize", undefined],
      ["tools/execute", "call-1"],
      ["tools/cancel", "call-1"],
      ["tools/execute", "call-2"],
      ["shutdown", undefined],
    ],
  );
});

test("[X-08] a call whose signal is aborted already is never sent", async () => {
  const hosted = await hostScript({});
  const reason = new Error("too late");
  assert.equal(await rejected(hosted.session.execute("t", {}, { signal: AbortSignal.abort(reason) })), reason);
  await hosted.stop();
  assert.deepEqual(
    hosted.received().map(({ method }) => method),
    ["initialize", "shutdown"],
  );
});

test("[X-08] [D-12] an extension of the library that is told to give a call up aborts its handler", async () => {
  const hosted = await host(fixture("dhara_server"));
  await hosted.session.initialize({ cwd: "/" });
  const controller = new AbortController();
  const call = hosted.session.execute(
    "wait",
    {},
    { signal: controller.signal, onProgress: () => controller.abort(new Error("enough")) },
  );
  assert.equal((await rejected(call)).message, "enough");
  await hosted.untilStderr(/aborted: the host cancelled the call/);
  assert.deepEqual(await hosted.session.execute("echo", { text: "still there" }), said("still there"));
  await hosted.stop();
});

test("[X-08] [X-23] a call that waits for the handshake rejects at once when it is aborted, and when its time is up", async () => {
  const hosted = await host(fixture("dhara_script", JSON.stringify({ on: { initialize: ["I will think about it"] } })));
  const controller = new AbortController();
  const start = rejected(hosted.session.initialize({ cwd: "/", timeoutMs: 0 }));
  await hosted.untilStderr(/> /);
  const aborted = rejected(hosted.session.execute("t", {}, { signal: controller.signal, timeoutMs: 0 }));
  const late = rejected(hosted.session.execute("t", {}, { timeoutMs: 1 }));
  controller.abort(new Error("no patience"));
  // None of them has an end but its own: the handshake is never answered.
  assert.equal((await aborted).message, "no patience");
  assert.match((await late).message, /not ready for 't' within 1 ms/);
  assert.deepEqual(await hosted.stop(), CLEAN);
  await start;
  assert.deepEqual(
    hosted.received().map(({ method }) => method),
    ["initialize", "shutdown"],
  );
});

test("[C4] [X-08] a handshake that is given up rejects at once and sends nothing about it", async () => {
  const hosted = await host(fixture("dhara_script", JSON.stringify({ on: { initialize: ["I will think about it"] } })));
  const controller = new AbortController();
  const start = hosted.session.initialize({ cwd: "/", signal: controller.signal });
  await hosted.untilStderr(/> /);
  controller.abort(new Error("no patience"));
  assert.equal((await rejected(start)).message, "no patience");
  assert.deepEqual(await hosted.stop(), CLEAN);
  assert.deepEqual(
    hosted.received().map(({ method }) => method),
    ["initialize", "shutdown"],
  );
});

test("[C12] NaN in an answer fails its call at once and says where", async () => {
  const hosted = await hostScript({
    on: { "tools/execute t": ['{"jsonrpc":"2.0","id":"ID","result":{"content":[],"x":NaN}}'] },
  });
  const error = await rejected(hosted.session.execute("t"));
  assert.equal(error.code, "protocol");
  assert.match(error.message, /invalid JSON in the message at offset \d+/);
  await hosted.stop();
});

test("[C16] [X-07] an answer to shutdown with id null is nothing, and the exit is clean", async () => {
  const hosted = await hostScript({
    on: { shutdown: ['{"jsonrpc":"2.0","id":null,"result":{"status":"ok"}}', { exit: 0 }] },
  });
  assert.deepEqual(await hosted.stop(), CLEAN);
  assert.deepEqual(hosted.diagnostics, []);
});

test("[C18] [D-13] progress does not prolong a call, with or without a listener", async () => {
  for (const onProgress of [undefined, () => {}]) {
    const steps = Array.from({ length: 100 }, () => [
      '{"jsonrpc":"2.0","method":"progress","params":{"message":"still at it"}}',
      { wait: 10 },
    ]).flat();
    const hosted = await hostScript({ on: { "tools/execute t": steps } });
    const error = await rejected(hosted.session.execute("t", {}, { timeoutMs: 100, onProgress }));
    assert.equal(error.code, "timeout");
    await hosted.process.exited;
  }
});

test("[D-13] after a timeout shutdown is sent and the exit is waited for before the caller is told", async () => {
  const hosted = await hostScript({ on: { shutdown: [{ wait: 200 }, { exit: 0 }] } });
  const waiting = hosted.session.execute("t", {}, { timeoutMs: 0 });
  const other = rejected(waiting);
  const error = await rejected(hosted.session.execute("t", {}, { timeoutMs: 50 }));
  assert.equal(error.code, "timeout");
  assert.match(error.message, /no answer to tools\/execute within 50 ms/);
  assert.deepEqual(await hosted.process.exited, CLEAN, "it has exited by itself");
  assert.equal((await other).code, "disconnected");
  await hosted.process.drained;
  assert.equal(hosted.received().at(-1)?.method, "shutdown");
  assert.equal((await rejected(hosted.session.execute("t"))).code, "closed");
});

test("[D-13] what stops the extension after a timeout is the host's, once for all of its calls", async () => {
  let stops = 0;
  const hosted = await hostScript(
    { on: { shutdown: [] } },
    {
      async onTimeout() {
        stops++;
        hosted.process.kill("SIGKILL");
        await hosted.process.exited;
      },
    },
  );
  const errors = await Promise.all([1, 2, 3].map(() => rejected(hosted.session.execute("t", {}, { timeoutMs: 50 }))));
  assert.equal(stops, 1);
  assert.ok(errors.some(({ code }) => code === "timeout"));
  assert.deepEqual(await hosted.process.exited, { code: null, signal: "SIGKILL" });
});

test("[X-09] [X-07] progress without a name goes to every call in flight, with a name to that one, late to none", async () => {
  const progress = (params: object, method = "progress") => JSON.stringify({ jsonrpc: "2.0", method, params });
  const hosted = await hostScript({
    on: {
      "tools/execute t #2": [
        progress({ message: "to all" }),
        progress({ message: "to the first", toolCallId: "call-1" }),
        progress({ message: "old name", toolCallId: "call-2" }, "tools/progress"),
        progress({ message: "to nobody", toolCallId: "call-9" }),
        progress({ message: "to nobody", toolCallId: 1 }),
        progress({ text: "no message" }),
        answer("second"),
        progress({ message: "late", toolCallId: "call-2" }),
        answer("first").replace('"ID"', "2"),
        progress({ message: "after all" }),
      ],
    },
  });
  const heard: string[] = [];
  const listen = (who: string) => ({ onProgress: (message: string) => heard.push(`${who}: ${message}`) });
  const calls = [
    hosted.session.execute("t", {}, listen("a")),
    hosted.session.execute("t", {}, listen("b")),
    hosted.session.execute("t", {}).catch(() => {}),
  ];
  assert.deepEqual(await Promise.all(calls.slice(0, 2)), [said("first"), said("second")]);
  assert.deepEqual(heard, ["a: to all", "b: to all", "a: to the first", "b: old name"]);
  assert.deepEqual(
    hosted.diagnostics.map(({ code, message }) => `${code}: ${message}`),
    [
      'bad-progress: progress for an unknown call "call-9": use the toolCallId in the params of tools/execute',
      "bad-progress: progress for an unknown call 1: use the toolCallId in the params of tools/execute",
      'bad-progress: progress needs a message that is a string: {"text":"no message"}',
    ],
  );
  await hosted.session.close();
  await hosted.process.exited;
});

test("[X-09] progress without a name does not go to a call that waits for a place in flight", async () => {
  const progress = (message: string) => JSON.stringify({ jsonrpc: "2.0", method: "progress", params: { message } });
  const hosted = await hostScript(
    {
      on: {
        "tools/execute t #1": [progress("of the first"), answer("1")],
        "tools/execute t": [progress("later"), answer("2")],
      },
    },
    { limits: { maxInFlight: 1 } },
  );
  const heard: string[] = [];
  const listener = (call: string) => ({ onProgress: (message: string) => void heard.push(`${call}: ${message}`) });
  const first = hosted.session.execute("t", {}, listener("first"));
  const second = hosted.session.execute("t", {}, listener("second"));
  assert.deepEqual([await first, await second], [said("1"), said("2")]);
  assert.deepEqual(heard, ["first: of the first", "second: later"]);
  await hosted.stop();
});

test("[C25] a progress listener that throws, now or later, stops neither its call nor the process", async () => {
  const errors: unknown[] = [];
  const hosted = await host(fixture("dhara_server"), { onError: (error) => void errors.push(error) });
  await hosted.session.initialize({ cwd: "/" });
  const throws = () => {
    throw new Error("now");
  };
  const rejects = () => Promise.reject(new Error("later"));
  assert.deepEqual(await hosted.session.execute("download", { steps: 1 }, { onProgress: throws }), said("downloaded"));
  assert.deepEqual(await hosted.session.execute("download", { steps: 1 }, { onProgress: rejects }), said("downloaded"));
  await hosted.stop();
  assert.deepEqual(errors.map(String), ["Error: now", "Error: now", "Error: later", "Error: later"]);
});

test("[C22] progress of a tool that goes on after its result reaches nobody, and the connection stays", async () => {
  const hosted = await host(fixture("dhara_server"));
  await hosted.session.initialize({ cwd: "/" });
  const heard: string[] = [];
  await hosted.session.execute("late_progress", {}, { onProgress: (message) => heard.push(message) });
  for (let i = 0; i < 10; i++) await hosted.session.execute("echo_later", { text: "x" });
  assert.deepEqual(heard, ["early"]);
  await hosted.stop();
});
