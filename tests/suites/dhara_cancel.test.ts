/** A call that is told to stop while its input is still being checked, and a word of cancelling that names no call. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { defineExtension } from "../../src/dhara/define.ts";
import { DharaServer } from "../../src/dhara/extension.ts";
import { deferred } from "../../src/rpc/deferred.ts";
import { endWires, LINES, MEMORY, type Wire } from "../support/wire.ts";

after(endWires);

interface Served {
  readonly wire: Wire;
  /** What the handlers did. */
  readonly ran: string[];
  /** Resolves when the check of an input has begun. */
  readonly checking: Promise<void>;
  /** Lets it end. */
  readonly pass: () => void;
}

for (const transport of [MEMORY, LINES]) {
  async function served(): Promise<Served> {
    const ran: string[] = [];
    const checking = deferred();
    const passed = deferred();
    const slow = {
      "~standard": {
        version: 1 as const,
        vendor: "test",
        async validate(value: unknown) {
          checking.resolve();
          await passed.promise;
          return { value };
        },
        jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
      },
    };
    const extension = defineExtension({
      name: "cancelled",
      version: "1.0.0",
      tools: [
        {
          name: "checked",
          description: "Has an input whose check takes its time",
          inputSchema: slow,
          execute() {
            ran.push("checked");
            return "done";
          },
        },
        {
          name: "hold",
          description: "Waits until it is told to stop",
          inputSchema: { type: "object" },
          execute: (_input, { signal, progress }) =>
            new Promise((resolve) => {
              signal.addEventListener("abort", () => {
                ran.push("aborted");
                resolve("stopped");
              });
              progress("holding");
            }),
        },
      ],
    });
    const wire = await transport.connect((channel) => new DharaServer(extension, channel));
    await wire.ask("init", "initialize", { version: "0.1.0", cwd: "/" });
    return { wire, ran, checking: checking.promise, pass: () => passed.resolve() };
  }

  test(`[X-08] [X-17] a call that is cancelled while its input is checked never runs, over ${transport.name}`, async () => {
    const { wire, ran, checking, pass } = await served();
    wire.request(1, "tools/execute", { toolName: "checked", input: {}, toolCallId: "a" });
    wire.request(2, "tools/execute", { toolName: "checked", input: {}, toolCallId: "b" });
    await checking;
    wire.notify("tools/cancel", { toolCallId: "a" });
    // Its answer says that what was sent before it has been read.
    await wire.ask(3, "tools/list");
    pass();
    const answers = [await wire.next(), await wire.next()].sort((a, b) => a.id - b.id);
    assert.deepEqual(answers[0].error, {
      code: -32000,
      message: "the host cancelled the call",
      data: { toolName: "checked" },
    });
    assert.equal(answers[1].result.content[0].text, "done");
    assert.deepEqual(ran, ["checked"]);
    wire.end();
  });

  test(`[D-09] [X-08] a call whose input is checked while the extension is told to shut down never runs, over ${transport.name}`, async () => {
    const { wire, ran, checking, pass } = await served();
    wire.request(1, "tools/execute", { toolName: "checked", input: {} });
    await checking;
    wire.notify("shutdown");
    const refused = await wire.ask(2, "tools/list");
    assert.match(refused.error.message, /shutting down/);
    pass();
    const { id, error } = await wire.next();
    assert.deepEqual([id, error.code, error.message], [1, -32000, "the host asked for shutdown"]);
    assert.deepEqual(await wire.rest(), []);
    assert.deepEqual(ran, []);
    wire.end();
  });

  test(`[X-08] tools/cancel that names no call cancels none, also none without a name, over ${transport.name}`, async () => {
    const { wire, ran } = await served();
    wire.request(1, "tools/execute", { toolName: "hold", input: {} });
    assert.equal((await wire.next()).method, "progress");
    for (const params of [undefined, null, {}, [], { toolCallId: null }]) wire.notify("tools/cancel", params);
    assert.equal((await wire.ask(2, "tools/list")).id, 2);
    assert.deepEqual(ran, []);
    wire.notify("shutdown");
    assert.equal((await wire.next()).id, 1);
    wire.end();
  });

  test(`[X-09] a toolCallId that is neither text nor a number is none, and comes back in no progress, over ${transport.name}`, async () => {
    const { wire, ran } = await served();
    const strange = [null, true, {}, ["a"]];
    for (const [id, toolCallId] of strange.entries()) {
      wire.request(id, "tools/execute", { toolName: "hold", input: {}, toolCallId });
      assert.deepEqual((await wire.next()).params, { message: "holding" });
      wire.notify("tools/cancel", { toolCallId });
    }
    assert.equal((await wire.ask("list", "tools/list")).id, "list");
    assert.deepEqual(ran, []);
    wire.notify("shutdown");
    for (const _ of strange) assert.equal((await wire.next()).result.content[0].text, "stopped");
    wire.end();
  });
}
