/** Real Dhara extensions drift from the document: one process for each way, and what is not understood is said. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ToolInfo } from "../../src/dhara/types.ts";
import { ExtensionError } from "../../src/rpc/errors.ts";
import { answer, endHosts, type Hosted, host, type Script, type Step } from "../support/dhara_process.ts";
import { fixture } from "../support/runtime.ts";

after(endHosts);

const SCHEMA = { type: "object", properties: { url: { type: "string" } }, required: ["url"] };
const TOOL = { name: "t", description: "A tool", inputSchema: SCHEMA };

function result(of: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id: "ID", result: of });
}

function notification(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

function played(script: Script, onToolsChanged?: (tools: readonly ToolInfo[]) => void): Promise<Hosted> {
  return host(fixture("dhara_script", JSON.stringify(script)), { onToolsChanged });
}

const UNDERSTOOD: Readonly<Record<string, unknown>> = {
  "as the document says": { name: "x", version: "1.0.0", tools: [TOOL] },
  "`parameters` for `inputSchema`": {
    name: "x",
    version: "1.0.0",
    tools: [{ name: "t", description: "A tool", parameters: SCHEMA }],
  },
  "with `protocolVersion`": { protocolVersion: "0.1.0", name: "x", version: "1.0.0", tools: [TOOL] },
  "with more than we know": {
    name: "x",
    version: "1.0.0",
    tools: [{ ...TOOL, label: "T", icon: null }],
    capabilities: { a: 1 },
  },
};

for (const [way, initialized] of Object.entries(UNDERSTOOD)) {
  test(`[X-07] [C17] [D-07] an answer to initialize ${way} is read`, async () => {
    const hosted = await played({ on: { initialize: [result(initialized)], "tools/execute t": [answer("yes")] } });
    const { name, version, tools } = await hosted.session.initialize({ cwd: "/" });
    assert.deepEqual([name, version, tools], ["x", "1.0.0", [TOOL]]);
    assert.equal((await hosted.session.execute("t", { url: "x" })).isError, false);
    await assert.rejects(hosted.session.execute("t", {}), {
      code: -32602,
      message: "Missing required parameter 'url'",
    });
    await hosted.stop();
  });
}

test("[X-07] [C17] without name, version, description or schema it is read all the same", async () => {
  const hosted = await played({ on: { initialize: [result({ tools: [{ name: "t" }] })] } });
  assert.deepEqual(await hosted.session.initialize({ cwd: "/" }), {
    name: "under-test",
    version: "",
    tools: [{ name: "t", description: "", inputSchema: { type: "object" } }],
  });
  await hosted.stop();
});

const RESULTS: Readonly<Record<string, unknown>> = {
  "without isError": { content: [{ type: "text", text: "x" }] },
  "with an image by path and its type": {
    content: [{ type: "image", path: "/x.png", mimeType: "image/png" }],
    isError: false,
  },
  "with more than we know": { content: [{ type: "text", text: "x", annotations: {} }], isError: false, meta: 1 },
};

for (const [way, outcome] of Object.entries(RESULTS)) {
  test(`[X-07] [C17] [D-08] a tool's result ${way} is read`, async () => {
    const hosted = await played({
      on: { initialize: [result({ tools: [{ name: "t" }] })], "tools/execute t": [result(outcome)] },
    });
    await hosted.session.initialize({ cwd: "/" });
    const { content, isError } = await hosted.session.execute("t");
    assert.deepEqual([content, isError], [(outcome as { content: unknown }).content, false]);
    await hosted.stop();
  });
}

const NOT_UNDERSTOOD: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  "no object": ["ready", /the result must be an object with tools, not a string/],
  null: [null, /the result must be an object with tools, not null/],
  "an object of tools": [{ tools: { t: TOOL } }, /tools must be an array, not an object/],
  "a tool without a name": [
    { tools: [TOOL, { description: "x" }] },
    /tools\[1\]\.name must be a non-empty string, not nothing/,
  ],
  "a tool that is text": [{ tools: ["t"] }, /tools\[0\] must be an object, not a string/],
  "two tools of one name": [{ tools: [TOOL, TOOL] }, /tools\[1\] is the second tool named 't'/],
  "a schema that is text": [
    { tools: [{ name: "t", inputSchema: "{}" }] },
    /tools\[0\]\.inputSchema must be an object, not a string/,
  ],
};

for (const [way, [initialized, message]] of Object.entries(NOT_UNDERSTOOD)) {
  test(`[C17] [X-22] an answer to initialize with ${way} is a failed handshake that says why`, async () => {
    const hosted = await played({ on: { initialize: [result(initialized)] } });
    await assert.rejects(hosted.session.initialize({ cwd: "/" }), (error: unknown) => {
      assert.ok(error instanceof ExtensionError);
      assert.equal(error.code, "handshake-failed");
      assert.match(error.message, message);
      return true;
    });
    await hosted.stop();
  });
}

const BAD_RESULTS: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  "plain text": ["done", /a tool result must be an object, not a string/],
  "no content": [{ isError: false }, /content must be an array, not nothing/],
  "content that is text": [{ content: "done" }, /content must be an array, not a string/],
  "an unknown kind of content": [
    { content: [{ type: "text", text: "" }, { type: "audio" }] },
    /content\[1\]\.type must be "text", "image" or "file", not "audio"/,
  ],
  "text without text": [{ content: [{ type: "text" }] }, /content\[0\]\.text must be a string, not nothing/],
  "an image without data": [
    { content: [{ type: "image", mimeType: "image/png" }] },
    /content\[0\]\.data must be a string/,
  ],
  "a file without a size": [
    { content: [{ type: "file", path: "/x", mimeType: "text/csv" }] },
    /content\[0\]\.size must be a number of bytes, not nothing/,
  ],
  "isError that is text": [{ content: [], isError: "no" }, /isError must be a boolean, not a string/],
};

for (const [way, [outcome, message]] of Object.entries(BAD_RESULTS)) {
  test(`[C17] [D-08] a tool's result with ${way} fails that call only, and says where`, async () => {
    const on: Record<string, Step[]> = {
      initialize: [result({ tools: [{ name: "t" }] })],
      "tools/execute t #1": [result(outcome)],
      "tools/execute t": [answer("fine")],
    };
    const hosted = await played({ on });
    await hosted.session.initialize({ cwd: "/" });
    await assert.rejects(hosted.session.execute("t"), (error: unknown) => {
      assert.ok(error instanceof ExtensionError);
      assert.equal(error.code, "protocol");
      assert.match(error.message, message);
      return true;
    });
    assert.equal((await hosted.session.execute("t")).isError, false);
    await hosted.stop();
  });
}

test("[X-22] tools/list as a message of its own stands for the answer to initialize, or for the half that it lacks", async () => {
  const list = notification("tools/list", { tools: [TOOL] });
  const ways: readonly (readonly [Step[], string])[] = [
    [[list], "under-test"],
    [[list, result({ name: "x", version: "1.0.0" })], "x"],
    [[result({ name: "x", version: "1.0.0" }), list], "x"],
    [[list, result(null)], "under-test"],
    [
      [
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { tools: [TOOL] } }),
        result({ name: "x" }),
      ],
      "x",
    ],
  ];
  for (const [initialize, called] of ways) {
    const hosted = await played({ on: { initialize, "tools/execute t": [answer("yes")] } });
    const { name, tools } = await hosted.session.initialize({ cwd: "/" });
    assert.deepEqual([name, tools], [called, [TOOL]]);
    assert.equal((await hosted.session.execute("t", { url: "x" })).isError, false);
    await hosted.stop();
  }
});

test("[X-22] tools/list right behind the whole answer to initialize is the new list, and listeners are told", async () => {
  const list = (...names: string[]) => notification("tools/list", { tools: names.map((name) => ({ name })) });
  const whole = result({ name: "x", version: "1.0.0", tools: [{ name: "t" }] });
  const half = result({ name: "x", version: "1.0.0" });
  const checked = { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] };
  const slow = result({ name: "x", tools: [{ name: "t", inputSchema: checked }] });
  const ways: readonly (readonly [string[], readonly (readonly string[])[]])[] = [
    [[whole, list("t", "u")], [["t", "u"]]],
    [[result({ tools: [] }), list("u")], [["u"]]],
    [
      [slow, list("t", "u"), list("u")],
      [["t", "u"], ["u"]],
    ],
    [[half, list("t"), list("u")], [["u"]]],
    [[list("u"), list("v"), whole], []],
  ];
  for (const [lines, told] of ways) {
    const changes: (readonly string[])[] = [];
    // In one write, as an extension does that prints both at once.
    const initialize = [lines.join("\n")];
    const hosted = await played({ on: { initialize } }, (tools) => void changes.push(tools.map(({ name }) => name)));
    await hosted.session.initialize({ cwd: "/" });
    // Waits for a list that is still being taken.
    await assert.rejects(hosted.session.execute("nothing"), { code: "unknown-tool" });
    assert.deepEqual(changes, told, lines.join("\n"));
    assert.deepEqual(
      hosted.session.tools.map(({ name }) => name),
      told.at(-1) ?? ["t"],
    );
    await hosted.stop();
  }
});

test("[X-22] tools/list later is the new list, and listeners are told; one that is none is said so and changes nothing", async () => {
  const changes: (readonly string[])[] = [];
  const named = (...names: string[]) => notification("tools/list", { tools: names.map((name) => ({ name })) });
  const hosted = await played(
    {
      on: {
        initialize: [result({ tools: [{ name: "t" }] })],
        "tools/execute t": [named("t", "u"), notification("tools/list", { tools: "t" }), named("u"), answer("done")],
        "tools/execute u": [answer("new")],
      },
    },
    (tools) => void changes.push(tools.map(({ name }) => name)),
  );
  await hosted.session.initialize({ cwd: "/" });
  await hosted.session.execute("t");
  assert.deepEqual(changes, [["t", "u"], ["u"]]);
  assert.deepEqual(
    hosted.session.tools.map(({ name }) => name),
    ["u"],
  );
  assert.equal((await hosted.session.execute("u")).isError, false);
  await assert.rejects(hosted.session.execute("t"), { code: "unknown-tool" });
  assert.deepEqual(
    hosted.diagnostics.map(({ code }) => code),
    ["bad-tools"],
  );
  await hosted.stop();
});

test("[X-05] what an extension asks of its host that has no such method is answered, and what it tells is kept", async () => {
  const hosted = await played({
    on: {
      initialize: [result({ tools: [{ name: "t" }] })],
      "tools/execute t": [
        '{"jsonrpc":"2.0","id":"mine","method":"host/secrets"}',
        notification("log", { message: "x" }),
        answer("done"),
      ],
    },
  });
  await hosted.session.initialize({ cwd: "/" });
  await hosted.session.execute("t");
  await hosted.stop();
  const refusal = hosted.received().find(({ id }) => (id as unknown) === "mine") as unknown as {
    error: { code: number };
  };
  assert.equal(refusal.error.code, -32601);
  assert.deepEqual(
    hosted.diagnostics.map(({ code }) => code),
    ["refused-request", "unknown-notification"],
  );
});

test("[X-17] a schema that claims to be a library's costs its tool the check, not the extension its start", async () => {
  const hosted = await played({
    on: {
      initialize: [result({ tools: [{ name: "t", inputSchema: { "~standard": { vendor: "x" } } }] })],
      "tools/execute t": [answer("done")],
    },
  });
  await hosted.session.initialize({ cwd: "/" });
  const [{ code, message } = { code: "", message: "" }] = hosted.diagnostics;
  assert.equal(code, "bad-schema");
  assert.match(message, /^tool 't': .* cannot be converted to JSON Schema.*\. Its input is not checked here$/);
  assert.deepEqual((await hosted.session.execute("t", { any: 1 })).content, [{ type: "text", text: "done" }]);
  await hosted.stop();
});

test("[X-17] an input that throws when it is looked at rejects its call, and the next one works", async () => {
  const hosted = await played({
    on: { initialize: [result({ tools: [TOOL] })], "tools/execute t": [answer("done")] },
  });
  await hosted.session.initialize({ cwd: "/" });
  const input = {
    get url(): string {
      throw new RangeError("not now");
    },
  };
  await assert.rejects(hosted.session.execute("t", input), { message: "not now" });
  assert.deepEqual((await hosted.session.execute("t", { url: "x" })).content, [{ type: "text", text: "done" }]);
  await hosted.stop();
});
