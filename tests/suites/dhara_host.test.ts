/** Our Dhara host on extensions that are real processes, good ones and broken ones. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ExtensionError, RpcError } from "../../src/rpc/errors.ts";
import { answer, endHosts, host, hostScript, INITIALIZED } from "../support/dhara_process.ts";
import { fixture } from "../support/runtime.ts";

after(endHosts);

/** What both families of errors have. */
interface Rejection extends Error {
  readonly code?: string | number;
  readonly data?: unknown;
}

async function rejected(promise: Promise<unknown>): Promise<Rejection> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof Error, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "it resolved" });
}

const CLEAN = { code: 0, signal: null };
const text = (of: string) => ({ content: [{ type: "text", text: of }], isError: false });

test("[D-02] [D-07] [D-08] [D-09] [D-12] a host runs an extension of the library from its start to its exit", async () => {
  const hosted = await host(fixture("dhara_server"));
  const { session } = hosted;
  const { name, version, tools } = await session.initialize({ cwd: "/work" });
  assert.deepEqual([name, version, tools[0]?.name], ["dhara-server", "1.2.3", "echo"]);
  assert.equal(session.tools, tools);
  assert.deepEqual(await session.execute("echo", { text: "é — 😀" }), text("é — 😀"));
  const progress: string[] = [];
  assert.deepEqual(
    await session.execute("download", { steps: 2 }, { onProgress: (message) => progress.push(message) }),
    text("downloaded"),
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

test("[A1] [A2] [D-01] an answer that comes one byte at a time is the text that was sent", async () => {
  const hosted = await hostScript({ oneByteAtATime: true, on: { "tools/execute t": [answer("é — 😀 漢字")] } });
  assert.deepEqual(await hosted.session.execute("t"), text("é — 😀 漢字"));
  await hosted.stop();
});

test("[A3] [D-01] only LF ends a line: U+2028, U+2029, U+0085 and a CR are text, and one CR before the LF is none", async () => {
  const strange = "a\u2028b\u2029c\u0085d\re";
  const hosted = await hostScript({ on: { "tools/execute t": [`${answer(strange)}\r`] } });
  assert.deepEqual(await hosted.session.execute("t"), text(strange));
  await hosted.stop();
});

for (const where of ["the first line", "every line"]) {
  test(`[A4] [D-01] a BOM before ${where} is nothing`, async () => {
    const more = where === "every line" ? "\ufeff" : "";
    const hosted = await hostScript({
      on: { initialize: [`\ufeff${INITIALIZED}`], "tools/execute t": [`${more}${answer("fine")}`] },
    });
    assert.deepEqual(await hosted.session.execute("t"), text("fine"));
    await hosted.stop();
    assert.deepEqual(hosted.diagnostics, []);
  });
}

test("[A5] [X-05] [X-06] ten thousand lines of junk are kept, capped, and cost nothing else", async () => {
  const hosted = await hostScript({
    start: ["started ok"],
    on: { "tools/execute t": [{ repeat: "junk\n", times: 10_000 }, answer("found")] },
  });
  assert.deepEqual(await hosted.session.execute("t"), text("found"));
  assert.equal(hosted.diagnostics.length, 10_001);
  assert.equal(hosted.diagnostics[0]?.line, "started ok");
  assert.equal(hosted.session.diagnostics.length, 1_000);
  await hosted.stop();
  assert.equal(hosted.received().length, 3, "junk is never answered");
});

test("[X-05] [X-06] of a long line of junk 8 KiB are kept", async () => {
  const hosted = await hostScript({ on: { "tools/execute t": [`é${"x".repeat(100_000)}`, answer("found")] } });
  await hosted.session.execute("t");
  assert.equal(Buffer.byteLength(hosted.session.diagnostics[0]?.line ?? ""), 8 * 1024);
  await hosted.stop();
});

test("[A6] [A8] each bad line costs itself only, and a blank one nothing", async () => {
  const hosted = await hostScript({
    on: {
      "tools/execute t": [
        "",
        "\r",
        "   ",
        "{",
        '{"jsonrpc"',
        '{"jsonrpc":"2.0","id":2,"result":{"content":[{"ty',
        answer("good"),
      ],
    },
  });
  assert.deepEqual(await hosted.session.execute("t"), text("good"));
  assert.equal(hosted.diagnostics.length, 3);
  await hosted.stop();
});

test("[A14] a byte that is no UTF-8 is said so, and the rest is read", async () => {
  const line = INITIALIZED.replace('"ID"', "1").replace("A tool", "A \u0097 tool");
  const hex = Buffer.from(`${line}\n`, "utf8").toString("hex").replace("c297", "97");
  const hosted = await hostScript({ on: { initialize: [{ hex }] } });
  assert.equal(hosted.session.tools[0]?.description, "A \ufffd tool");
  assert.match(hosted.diagnostics[0]?.message ?? "", /UTF-8/);
  await hosted.stop();
});

test("[A10] [X-06] [D24] a line over the limit ends the connection, and the awaited error says which limit", async () => {
  const hosted = await hostScript(
    { on: { "tools/execute t": [{ repeat: "x", times: 2_000_000 }] } },
    { limits: { maxMessageBytes: 1_000_000 } },
  );
  const error = await rejected(hosted.session.execute("t"));
  assert.equal(error.code, "limit");
  assert.match(error.message, /maxMessageBytes/);
  hosted.process.kill("SIGKILL");
  await hosted.process.exited;
});

test("[A11] [X-06] the limit counts a message, not a chunk", async () => {
  const long = JSON.parse(answer("")) as object;
  const room = 100_000 - JSON.stringify(long).length;
  const hosted = await hostScript(
    { on: { "tools/execute t #1": [answer("x".repeat(room - 10)), "junk"], "tools/execute t #2": [answer("small")] } },
    { limits: { maxMessageBytes: 100_000 } },
  );
  assert.equal((await hosted.session.execute("t")).isError, false);
  assert.deepEqual(await hosted.session.execute("t"), text("small"));
  await hosted.stop();
});

test("[C8] [X-01] an error with id null is kept as a diagnostic, and the call goes on", async () => {
  const hosted = await hostScript({
    on: {
      "tools/execute t": [
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what was that?"}}',
        answer("on"),
      ],
    },
  });
  assert.deepEqual(await hosted.session.execute("t"), text("on"));
  assert.match(hosted.diagnostics[0]?.message ?? "", /what was that\?/);
  await hosted.stop();
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
  assert.deepEqual(await hosted.session.execute("t"), text("second"));
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
  assert.deepEqual(await hosted.session.execute("echo", { text: "still there" }), text("still there"));
  await hosted.stop();
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
  assert.deepEqual(await Promise.all(calls.slice(0, 2)), [text("first"), text("second")]);
  assert.deepEqual(heard, ["a: to all", "b: to all", "a: to the first", "b: old name"]);
  assert.deepEqual(
    hosted.diagnostics.map(({ code }) => code),
    ["bad-progress"],
  );
  await hosted.session.close();
  await hosted.process.exited;
});

test("[C25] a progress listener that throws, now or later, stops neither its call nor the process", async () => {
  const errors: unknown[] = [];
  const hosted = await host(fixture("dhara_server"), { onError: (error) => void errors.push(error) });
  await hosted.session.initialize({ cwd: "/" });
  const throws = () => {
    throw new Error("now");
  };
  const rejects = () => Promise.reject(new Error("later"));
  assert.deepEqual(await hosted.session.execute("download", { steps: 1 }, { onProgress: throws }), text("downloaded"));
  assert.deepEqual(await hosted.session.execute("download", { steps: 1 }, { onProgress: rejects }), text("downloaded"));
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

test("[X-17] [D-11] an input that breaks its schema is refused here, in the extension's words, and not sent", async () => {
  const schema = {
    type: "object",
    properties: { url: { type: "string" }, depth: { type: "integer", minimum: 1 } },
    required: ["url"],
  };
  for (const dialect of [
    undefined,
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2020-12/schema",
  ]) {
    const inputSchema = dialect === undefined ? schema : { $schema: dialect, ...schema };
    const result = { name: "s", version: "1", tools: [{ name: "fetch_url", description: "", inputSchema }] };
    const hosted = await hostScript({ on: { initialize: [JSON.stringify({ jsonrpc: "2.0", id: 1, result })] } });
    const error = await rejected(hosted.session.execute("fetch_url", {}));
    assert.ok(error instanceof RpcError);
    assert.deepEqual(
      [error.code, error.message, error.data],
      [-32602, "Missing required parameter 'url'", { toolName: "fetch_url" }],
    );
    assert.equal(
      (await rejected(hosted.session.execute("fetch_url", { url: "x", depth: 0 }))).message,
      "Parameter 'depth' must be >= 1",
    );
    await hosted.stop();
    assert.equal(hosted.received().length, 2);
  }
});

test("[X-17] a schema that is none is said so, and its tool's input goes to the extension unchecked", async () => {
  const tools = [
    { name: "t", description: "", inputSchema: { type: "strange" } },
    { name: "u", description: "", inputSchema: { $ref: "#/nowhere" } },
  ];
  const result = { name: "s", version: "1", tools };
  const hosted = await hostScript({
    on: { initialize: [JSON.stringify({ jsonrpc: "2.0", id: 1, result })], "tools/execute t": [answer("taken")] },
  });
  assert.deepEqual(await hosted.session.execute("t", { any: 1 }), text("taken"));
  assert.deepEqual(
    hosted.diagnostics.map(({ code }) => code),
    ["bad-schema", "bad-schema"],
  );
  assert.match(hosted.diagnostics[0]?.message ?? "", /^tool 't': the inputSchema is not usable: Keyword 'type' must /);
  assert.match(hosted.diagnostics[1]?.message ?? "", /\$ref "#\/nowhere" leads nowhere/);
  await hosted.stop();
});

test("[C15] [C26] unknown tools are refused here by name, with what was meant", async () => {
  const hosted = await host(fixture("dhara_server"));
  const { session } = hosted;
  assert.match((await rejected(session.execute("echo", { text: "x" }))).message, /was not initialized/);
  const starting = session.initialize({ cwd: "/" });
  // A call while the start is under way waits for it.
  assert.deepEqual(await session.execute("echo", { text: "waited" }), text("waited"));
  await starting;
  const error = await rejected(session.execute("ecko", {}));
  assert.deepEqual(
    [error.code, error.message],
    ["unknown-tool", "Unknown tool 'ecko'. Did you mean 'echo'? (extension 'under-test')"],
  );
  assert.equal((await rejected(session.execute("hasOwnProperty", {}))).code, "unknown-tool");
  const proto = JSON.parse('{"__proto__":{"isError":true}}') as unknown;
  assert.deepEqual(await session.execute("__proto__", proto), text('["__proto__",["__proto__"],null]'));
  await hosted.stop();
});

test("[X-23] [C26] a call made during a start that fails, fails with it", async () => {
  const hosted = await host(
    fixture(
      "dhara_script",
      JSON.stringify({
        on: { initialize: ['{"jsonrpc":"2.0","id":"ID","error":{"code":-32603,"message":"no licence"}}'] },
      }),
    ),
  );
  const starting = rejected(hosted.session.initialize({ cwd: "/" }));
  const call = await rejected(hosted.session.execute("t"));
  assert.equal(call, await starting);
  assert.equal(call.code, "handshake-failed");
  assert.match(call.message, /answered initialize with the error -32603: no licence/);
  await hosted.stop();
});

test("[C11] [D5] an input that JSON can't carry is refused here", async () => {
  const hosted = await hostScript({ on: { "tools/execute t": [answer("on")] } });
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  for (const input of [{ n: 1n }, cycle])
    assert.equal((await rejected(hosted.session.execute("t", input))).code, "not-serializable");
  assert.deepEqual(await hosted.session.execute("t"), text("on"));
  await hosted.stop();
});

test("[D-10] [D-11] an error of the extension reaches the caller as it is", async () => {
  const hosted = await host(fixture("dhara_server"));
  await hosted.session.initialize({ cwd: "/" });
  const error = await rejected(hosted.session.execute("refuse"));
  assert.ok(error instanceof RpcError);
  assert.deepEqual([error.code, error.message, error.data], [-32042, "no such page", { status: 404 }]);
  await hosted.stop();
});

test("[D23] calls in flight all reject once when the process is killed", async () => {
  const reason = new ExtensionError("exited", "killed by SIGKILL", { signal: "SIGKILL" });
  const hosted = await hostScript({}, { explain: () => reason });
  const calls = Array.from({ length: 20 }, () => rejected(hosted.session.execute("t")));
  await hosted.untilStderr(/call-20/);
  hosted.process.kill("SIGKILL");
  assert.deepEqual(new Set(await Promise.all(calls)), new Set([reason]));
  assert.equal(await hosted.session.closed, reason);
});
