/** Calls that our Dhara host refuses, and calls that fail with their extension. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ExtensionError, RpcError } from "../../src/rpc/errors.ts";
import { answer, endHosts, host, hostScript, said } from "../support/dhara_process.ts";
import { rejected } from "../support/rejected.ts";
import { fixture } from "../support/runtime.ts";

after(endHosts);

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
  assert.deepEqual(await hosted.session.execute("t", { any: 1 }), said("taken"));
  assert.deepEqual(
    hosted.diagnostics.map(({ code }) => code),
    ["bad-schema", "bad-schema"],
  );
  assert.match(hosted.diagnostics[0]?.message ?? "", /^tool 't': the inputSchema is not usable: Keyword 'type' must /);
  assert.match(hosted.diagnostics[1]?.message ?? "", /\$ref "#\/nowhere" cannot be resolved/);
  await hosted.stop();
});

test("[C15] [C26] unknown tools are refused here by name, with what was meant", async () => {
  const hosted = await host(fixture("dhara_server"));
  const { session } = hosted;
  assert.match((await rejected(session.execute("echo", { text: "x" }))).message, /was not initialized/);
  const starting = session.initialize({ cwd: "/" });
  // A call while the start is under way waits for it.
  assert.deepEqual(await session.execute("echo", { text: "waited" }), said("waited"));
  await starting;
  const error = await rejected(session.execute("ecko", {}));
  assert.deepEqual(
    [error.code, error.message],
    ["unknown-tool", "Unknown tool 'ecko'. Did you mean 'echo'? (extension 'under-test')"],
  );
  assert.equal((await rejected(session.execute("hasOwnProperty", {}))).code, "unknown-tool");
  const proto = JSON.parse('{"__proto__":{"isError":true}}') as unknown;
  assert.deepEqual(await session.execute("__proto__", proto), said('["__proto__",["__proto__"],null]'));
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
  for (const input of [{ n: 1n }, cycle, () => {}])
    assert.equal((await rejected(hosted.session.execute("t", input))).code, "not-serializable");
  assert.deepEqual(await hosted.session.execute("t"), said("on"));
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
  for (const error of await Promise.all(calls)) {
    assert.ok(error instanceof ExtensionError);
    assert.equal(error.message, "tool 't' of extension 'under-test': killed by SIGKILL");
    assert.deepEqual([error.code, error.signal, error.cause], ["exited", "SIGKILL", reason]);
  }
  assert.equal(await hosted.session.closed, reason);
});
