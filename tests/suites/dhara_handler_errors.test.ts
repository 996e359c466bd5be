/** What goes wrong in an extension: who called is answered, and who wrote it is told, once. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ToolContext } from "../../src/dhara/define.ts";
import { defineExtension } from "../../src/dhara/define.ts";
import { DharaServer } from "../../src/dhara/extension.ts";
import { ErrorCode, RpcError } from "../../src/rpc/errors.ts";
import { endWires, LINES, MEMORY } from "../support/wire.ts";

after(endWires);

const BROKE = new Error("it broke");
const CLEAN_UP = new Error("the clean-up broke");

/** A library's schema whose check takes its time, and fails. */
const FAILING_CHECK = {
  "~standard": {
    version: 1 as const,
    vendor: "test",
    validate: () => Promise.reject(new Error("the check broke")),
    jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
  },
};

/** Ends as soon as it is aborted, in one of the ways in which programs do. */
function whenAborted({ signal, progress }: ToolContext, make: (reason: unknown) => unknown): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(make(signal.reason)));
    progress("waiting");
  });
}

for (const transport of [MEMORY, LINES]) {
  async function served() {
    const errors: unknown[] = [];
    const tool = { description: "A tool", inputSchema: { type: "object" } } as const;
    const thrown = (error: Error) => () => {
      throw error;
    };
    const extension = defineExtension({
      name: "broken",
      version: "1.0.0",
      tools: [
        { ...tool, name: "breaks", execute: thrown(BROKE) },
        { ...tool, name: "unnamed", execute: thrown(new TypeError("")) },
        { ...tool, name: "refuses", execute: thrown(new RpcError(ErrorCode.invalidParams, "no such page")) },
        { ...tool, name: "explains", execute: thrown(new RpcError(ErrorCode.invalidParams, "no page", { page: 7 })) },
        { ...tool, name: "checked", inputSchema: FAILING_CHECK, execute: () => "never" },
        { ...tool, name: "passes on", execute: (_, context) => whenAborted(context, (reason) => reason) },
        {
          ...tool,
          name: "says so",
          execute: (_, context) => whenAborted(context, () => new DOMException("stopped", "AbortError")),
        },
        { ...tool, name: "stumbles", execute: (_, context) => whenAborted(context, () => BROKE) },
      ],
      onShutdown: thrown(CLEAN_UP),
    });
    const wire = await transport.connect(
      (channel) => new DharaServer(extension, channel, { onError: (error) => void errors.push(error) }),
    );
    await wire.ask("init", "initialize", { version: "0.1.0", cwd: "/" });
    return { wire, errors };
  }

  test(`[D-10] [D-11] what a handler throws is answered, and told to onError unless it is an answer, over ${transport.name}`, async () => {
    const { wire, errors } = await served();
    for (const [toolName, error] of [
      ["breaks", { code: -32000, message: "it broke", data: { toolName: "breaks" } }],
      ["unnamed", { code: -32000, message: "TypeError", data: { toolName: "unnamed" } }],
      ["refuses", { code: -32602, message: "no such page", data: { toolName: "refuses" } }],
      ["explains", { code: -32602, message: "no page", data: { page: 7 } }],
    ] as const) {
      assert.deepEqual((await wire.ask(1, "tools/execute", { toolName })).error, error);
    }
    assert.equal(errors[0], BROKE);
    assert.equal((errors[1] as Error).name, "TypeError");
    assert.equal(errors.length, 2);
    wire.end();
  });

  test(`[X-17] [D-09] a check that fails is answered, and the extension waits for no such call when it ends, over ${transport.name}`, async () => {
    const { wire, errors } = await served();
    const { error } = await wire.ask(1, "tools/execute", { toolName: "checked", input: {} });
    assert.equal(error.message, "the check broke");
    wire.notify("shutdown");
    assert.deepEqual(await wire.rest(), []);
    assert.deepEqual(errors, [CLEAN_UP]);
    wire.end();
  });

  test(`[X-08] who ends because it was cancelled is no error for its author, who stumbles then is one, over ${transport.name}`, async () => {
    const { wire, errors } = await served();
    for (const [toolName, message] of [
      ["passes on", "the host cancelled the call"],
      ["says so", "stopped"],
      ["stumbles", "it broke"],
    ] as const) {
      wire.request(1, "tools/execute", { toolName, input: {}, toolCallId: toolName });
      assert.equal((await wire.next()).method, "progress");
      wire.notify("tools/cancel", { toolCallId: toolName });
      assert.deepEqual((await wire.next()).error, { code: -32000, message, data: { toolName } });
    }
    assert.deepEqual(errors, [BROKE]);
    wire.end();
  });

  test(`[C22] a handler that has thrown, now or later, tells no progress any more, over ${transport.name}`, async () => {
    const kept: ((message: string) => void)[] = [];
    const tool = { description: "Keeps its progress", inputSchema: { type: "object" } } as const;
    const extension = defineExtension({
      name: "late",
      version: "1.0.0",
      tools: [
        {
          ...tool,
          name: "throws",
          execute(_, { progress }) {
            kept.push(progress);
            throw BROKE;
          },
        },
        {
          ...tool,
          name: "rejects",
          execute(_, { progress }) {
            kept.push(progress);
            return Promise.reject(BROKE);
          },
        },
      ],
    });
    const wire = await transport.connect((channel) => new DharaServer(extension, channel));
    await wire.ask("init", "initialize", { version: "0.1.0", cwd: "/" });
    for (const toolName of ["throws", "rejects"]) {
      assert.equal((await wire.ask(1, "tools/execute", { toolName })).error.message, "it broke");
      for (const progress of kept) progress("too late");
    }
    assert.equal(kept.length, 2);
    wire.notify("shutdown");
    assert.deepEqual(await wire.rest(), []);
    wire.end();
  });

  test(`[D-12] progress that is no text, as JavaScript may give it, is told as one, over ${transport.name}`, async () => {
    const tool = { name: "counts", description: "Tells numbers", inputSchema: { type: "object" } } as const;
    const given: unknown[] = [50, 10n, undefined];
    const extension = defineExtension({
      name: "numbers",
      version: "1.0.0",
      tools: [
        {
          ...tool,
          execute(_, { progress }) {
            for (const message of given) progress(message as string);
            return "counted";
          },
        },
      ],
    });
    const wire = await transport.connect((channel) => new DharaServer(extension, channel));
    await wire.ask("init", "initialize", { version: "0.1.0", cwd: "/" });
    wire.request(1, "tools/execute", { toolName: "counts" });
    for (const message of ["50", "10", "undefined"]) {
      assert.deepEqual(await wire.next(), { jsonrpc: "2.0", method: "progress", params: { message } });
    }
    assert.equal((await wire.next()).id, 1);
    wire.end();
  });
}
