/** An extension built with the library, in this process and as a process of its own, judged by the text it sends. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Json } from "../support/messages.ts";
import { everywhere, execute, finish, initialized } from "../support/served.ts";
import { UNSENDABLE, WITHOUT_TEXT } from "../support/test_peer.ts";
import { endWires } from "../support/wire.ts";

after(endWires);

for (const [name, start] of everywhere) {
  describe(`an extension over ${name}`, () => {
    test(`[D-02] [D-09] it lives from initialize to shutdown, which is not answered and ends it with code 0, over ${name}`, async () => {
      const wire = await start();
      assert.equal((await wire.ask(1, "initialize", { version: "0.1.0", cwd: "/" })).id, 1);
      for (let id = 2; id < 5; id++) assert.equal((await execute(wire, "echo", { text: String(id) }, id)).id, id);
      assert.deepEqual(await finish(wire), []);
    });

    test(`[D-07] initialize is answered with name, version and tools, and nothing else, over ${name}`, async () => {
      const wire = await start();
      const { result } = await wire.ask(1, "initialize", { version: "0.1.0", cwd: "/" });
      assert.deepEqual(Object.keys(result).sort(), ["name", "tools", "version"]);
      assert.deepEqual([result.name, result.version], ["dhara-server", "1.2.3"]);
      assert.deepEqual(result.tools[0], {
        name: "echo",
        description: "Returns its text",
        inputSchema: {
          type: "object",
          properties: { text: { type: "string" } },
          required: ["text"],
          additionalProperties: false,
        },
      });
      for (const tool of result.tools)
        assert.deepEqual(Object.keys(tool).sort(), ["description", "inputSchema", "name"]);
      const zod = result.tools.find((tool: Json) => tool.name === "zod");
      assert.deepEqual([zod.inputSchema.type, zod.inputSchema.required], ["object", ["url"]]);
      await finish(wire);
    });

    test(`[D-06] it knows the host's folder, and takes initialize of hosts that leave things out, over ${name}`, async () => {
      for (const [params, cwd] of [
        [{ version: "0.1.0", cwd: "/work" }, "/work"],
        [undefined, "undefined"],
        [{}, "undefined"],
        [null, "undefined"],
        [{ protocolVersion: "0.1.0" }, "undefined"],
      ]) {
        const wire = await start();
        assert.ok((await wire.ask(1, "initialize", params)).result.tools);
        const { result } = await execute(wire, "pid");
        assert.equal(result.content[0].text.split(" ")[1], cwd);
        await finish(wire);
      }
    });

    test(`[D-08] tools/execute is answered with content and isError, over ${name}`, async () => {
      const wire = await initialized(start);
      assert.deepEqual((await execute(wire, "echo", { text: "é — 😀" })).result, {
        content: [{ type: "text", text: "é — 😀" }],
        isError: false,
      });
      assert.deepEqual((await execute(wire, "fails", { how: "says so" })).result, {
        content: [{ type: "text", text: "it did not work" }],
        isError: true,
      });
      await finish(wire);
    });

    test(`[D-14] [D-15] [D-16] [D-17] each kind of content is written as the document shows it, over ${name}`, async () => {
      const wire = await initialized(start);
      assert.deepEqual((await execute(wire, "content")).result.content, [
        { type: "text", text: "plain" },
        { type: "image", mimeType: "image/png", data: "iVBORw==" },
        { type: "image", path: "/tmp/screenshot.png" },
        { type: "file", path: "/tmp/output.csv", size: 12345, mimeType: "text/csv" },
      ]);
      await finish(wire);
    });

    test(`[D-11] [D-10] [X-17] a wrong input is -32602, names its parameter and its tool, and never reaches the handler, over ${name}`, async () => {
      const wire = await initialized(start);
      const message = async (tool: string, input?: unknown) => {
        const { error } = await execute(wire, tool, input);
        assert.deepEqual([error.code, error.data], [-32602, { toolName: tool }], JSON.stringify(input));
        return error.message as string;
      };
      assert.equal(await message("echo", {}), "Missing required parameter 'text'");
      assert.equal(await message("echo"), "Missing required parameter 'text'");
      assert.equal(await message("echo", { text: 5 }), "Parameter 'text' must be a string, not a number");
      assert.equal(await message("echo", { text: null }), "Parameter 'text' must be a string, not null");
      assert.equal(await message("echo", { text: "x", texts: 1 }), "Unknown parameter 'texts'. Did you mean 'text'?");
      assert.equal(await message("echo", null), "Input must be an object, not null");
      assert.equal(await message("echo", ["text"]), "Input must be an object, not an array");
      assert.equal(
        await message("fails", { how: "somehow" }),
        `Parameter 'how' must be one of "throws", "rejects", "says so"`,
      );
      assert.equal(await message("nested", { options: {} }), "Missing required parameter 'options.limit'");
      assert.equal(await message("nested", { options: { limit: 11 } }), "Parameter 'options.limit' must be <= 10");
      assert.equal(await message("nested", { options: { limit: 1, x: 1 } }), "Unknown parameter 'options.x'");
      assert.match(await message("nested", { where: "no uri" }), /^Parameter 'where' must match exactly one schema/);
      assert.equal((await execute(wire, "nested", { where: "https://x/" })).result.isError, false);
      assert.equal((await execute(wire, "nested", { where: 5 })).result.isError, false);
      await finish(wire);
    });

    test(`[X-17] [D-11] zod fills in its defaults and says what it does not like, over ${name}`, async () => {
      const wire = await initialized(start);
      const { result } = await execute(wire, "zod", { url: "https://example.com/", extra: 1 });
      assert.equal(result.content[0].text, '{"url":"https://example.com/","depth":3}');
      assert.equal((await execute(wire, "zod", {})).error.message, "Missing required parameter 'url'");
      assert.match((await execute(wire, "zod", { url: "nowhere" })).error.message, /^Parameter 'url': /);
      assert.match(
        (await execute(wire, "zod", { url: "https://x/", tags: ["a", 5] })).error.message,
        /^Parameter 'tags\[1\]': /,
      );
      assert.match((await execute(wire, "zod", 5)).error.message, /^Input: /);
      await finish(wire);
    });

    test(`[D-10] [C15] unknown tools and wrong params are -32602 and say what was meant, over ${name}`, async () => {
      const wire = await initialized(start);
      const unknown = await execute(wire, "ecko", {});
      assert.deepEqual(unknown.error, {
        code: -32602,
        message: "Unknown tool 'ecko'. Did you mean 'echo'?",
        data: { toolName: "ecko" },
      });
      assert.equal((await execute(wire, "hasOwnProperty", {})).error.message, "Unknown tool 'hasOwnProperty'");
      assert.equal((await execute(wire, "x".repeat(50_000), {})).error.code, -32602);
      assert.equal((await wire.ask(1, "tools/execute", {})).error.message, "Missing required parameter 'toolName'");
      assert.equal((await execute(wire, 5)).error.message, "Parameter 'toolName' must be a string, not a number");
      for (const params of [undefined, null, [], ["echo"], "echo", 5]) {
        const { error } = await wire.ask(1, "tools/execute", params);
        assert.deepEqual([error.code, error.message.startsWith("params must be an object, not ")], [-32602, true]);
      }
      assert.equal((await wire.ask(1, "tools/call", {})).error.code, -32601);
      await finish(wire);
    });

    test(`[C15] tools may have the names of members of every object, and __proto__ in an input is data, over ${name}`, async () => {
      const wire = await initialized(start);
      for (const tool of ["__proto__", "constructor", "toString"]) {
        wire.send(
          `{"jsonrpc":"2.0","id":1,"method":"tools/execute","params":{"toolName":"${tool}","input":{"__proto__":{"isError":true}}}}`,
        );
        const { result } = await wire.next();
        assert.equal(result.isError, false);
        assert.equal(result.content[0].text, `["${tool}",["__proto__"],null]`);
      }
      await finish(wire);
    });

    test(`[D-12] [C22] [X-09] progress names its call, comes in order before the result, and not after it, over ${name}`, async () => {
      const wire = await initialized(start);
      wire.request(1, "tools/execute", { toolName: "download", input: { steps: 3 }, toolCallId: "call-a" });
      for (const message of ["1 of 3", "2 of 3", "3 of 3", "Done"]) {
        assert.deepEqual(await wire.next(), {
          jsonrpc: "2.0",
          method: "progress",
          params: { message, toolCallId: "call-a" },
        });
      }
      assert.equal((await wire.next()).id, 1);
      wire.request(2, "tools/execute", { toolName: "late_progress" });
      assert.deepEqual(await wire.next(), { jsonrpc: "2.0", method: "progress", params: { message: "early" } });
      assert.equal((await wire.next()).id, 2);
      // Longer than the late one takes.
      for (let i = 0; i < 20; i++) assert.equal((await execute(wire, "echo_later", { text: "x" }, i)).id, i);
      await finish(wire);
    });

    test(`[C3] [X-08] [X-09] 0 and "" are call ids: progress names them and cancelling finds them, over ${name}`, async () => {
      const wire = await initialized(start);
      for (const toolCallId of [0, "", "call-1"]) {
        wire.request("waiting", "tools/execute", { toolName: "wait", input: {}, toolCallId });
        assert.deepEqual((await wire.next()).params, { message: "waiting", toolCallId });
        wire.notify("tools/cancel", { toolCallId: String(toolCallId) === toolCallId ? 0.5 : String(toolCallId) });
        assert.equal((await execute(wire, "echo", { text: "not cancelled" })).id, 1);
        wire.notify("tools/cancel", { toolCallId });
        const { id, error } = await wire.next();
        assert.deepEqual([id, error.code, error.message], ["waiting", -32000, "the host cancelled the call"]);
      }
      for (const params of [undefined, null, {}, [], { toolCallId: "nobody" }]) wire.notify("tools/cancel", params);
      await finish(wire);
    });

    test(`[C11] a handler that returns no result is answered with -32603 and its tool's name, over ${name}`, async () => {
      const wire = await initialized(start);
      for (const kind of [...Object.keys(UNSENDABLE), "no such kind"]) {
        const { error } = await execute(wire, "unsendable", { kind });
        assert.deepEqual([error.code, error.data], [-32603, { toolName: "unsendable" }], kind);
        assert.match(error.message, /tool 'unsendable' returned an invalid result: /);
      }
      for (const kind of Object.keys(UNSENDABLE).filter((kind) => !["function", "symbol"].includes(kind))) {
        const { error } = await execute(wire, "unsendable_inside", { kind });
        assert.equal(error.code, -32603, kind);
        assert.match(error.message, /the result of tools\/execute can't be sent as JSON/);
      }
      assert.equal((await execute(wire, "echo", { text: "alive" })).result.isError, false);
      await finish(wire);
    });

    test(`[C25] what a handler throws may be anything, and its promise anybody's, over ${name}`, async () => {
      const wire = await initialized(start);
      for (const kind of Object.keys(WITHOUT_TEXT)) {
        for (const later of [false, true]) {
          const { error } = await execute(wire, "throw_odd", { kind, later });
          const message = "what was thrown has no text";
          assert.deepEqual(error, { code: -32000, message, data: { toolName: "throw_odd" } }, kind);
        }
      }
      assert.deepEqual((await execute(wire, "thenable")).result.content, [{ type: "text", text: "in the end" }]);
      await finish(wire);
    });

    test(`[D-10] what a handler throws is its own kind of error, over ${name}`, async () => {
      const wire = await initialized(start);
      assert.deepEqual((await execute(wire, "refuse")).error, {
        code: -32042,
        message: "no such page",
        data: { status: 404 },
      });
      const own = { code: -32000, data: { toolName: "fails" } };
      assert.deepEqual((await execute(wire, "fails", { how: "throws" })).error, { ...own, message: "it broke" });
      assert.deepEqual((await execute(wire, "fails", { how: "rejects" })).error, { ...own, message: "it broke later" });
      await finish(wire);
    });

    test(`[X-22] tools/list is answered with the tools, over ${name}`, async () => {
      const wire = await start();
      const { result } = await wire.ask(1, "initialize", { version: "0.1.0", cwd: "/" });
      assert.deepEqual((await wire.ask(2, "tools/list")).result, { tools: result.tools });
      await finish(wire);
    });

    test(`[X-23] [C26] before initialize calls are refused with a reason, and a second initialize too, over ${name}`, async () => {
      const wire = await start();
      for (const method of ["tools/execute", "tools/list"]) {
        const { error } = await wire.ask(1, method, { toolName: "echo", input: { text: "x" } });
        assert.equal(error.code, -32600);
        assert.match(error.message, new RegExp(`^initialize must come before ${method}$`));
      }
      assert.ok((await wire.ask(2, "initialize", { version: "0.1.0", cwd: "/" })).result);
      const again = await wire.ask(3, "initialize", { version: "0.1.0", cwd: "/" });
      assert.deepEqual([again.id, again.error.code, again.error.message], [3, -32600, "initialize is only valid once"]);
      assert.equal((await execute(wire, "echo", { text: "fine" })).result.content[0].text, "fine");
      await finish(wire);
    });

    test(`[C5] two calls with one id: the second is refused, the first goes on, and the id is free afterwards, over ${name}`, async () => {
      const wire = await initialized(start);
      wire.request(5, "tools/execute", { toolName: "wait", toolCallId: "first" });
      assert.equal((await wire.next()).method, "progress");
      const refused = await wire.ask(5, "tools/execute", { toolName: "echo_later", input: { text: "second" } });
      assert.deepEqual([refused.id, refused.error.code], [5, -32600]);
      wire.notify("tools/cancel", { toolCallId: "first" });
      const first = await wire.next();
      assert.deepEqual([first.id, first.error.message], [5, "the host cancelled the call"]);
      assert.equal((await execute(wire, "echo_later", { text: "again" }, 5)).result.content[0].text, "again");
      await finish(wire);
    });

    test(`[D-05] [D-09] [X-08] shutdown tells what runs to stop, and lets it say so, over ${name}`, async () => {
      const wire = await initialized(start);
      wire.request(1, "tools/execute", { toolName: "wait", input: {} });
      wire.request(2, "tools/execute", { toolName: "deaf", input: {} });
      await wire.next();
      const rest = (await finish(wire)).map((text) => JSON.parse(text) as Json);
      assert.deepEqual(
        rest.map(({ id, error }) => [id, error.message]),
        [[1, "the host asked for shutdown"]],
      );
    });

    test(`[X-07] shutdown and tools/cancel as requests are done and answered, over ${name}`, async () => {
      const wire = await initialized(start);
      assert.deepEqual(await wire.ask(1, "tools/cancel", { toolCallId: 1 }), { jsonrpc: "2.0", id: 1, result: null });
      assert.deepEqual(await wire.ask(2, "shutdown"), { jsonrpc: "2.0", id: 2, result: null });
      assert.deepEqual(await wire.rest(), []);
      wire.end();
    });
  });
}
