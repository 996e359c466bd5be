/** What a call must not cost: counted, not timed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defineExtension } from "../../src/dhara/define.ts";
import { DharaServer } from "../../src/dhara/extension.ts";
import { DharaSession } from "../../src/dhara/host.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { countedSignal } from "../support/counted_signal.ts";

const CALLS = 2_000;

/** How often each was made while `work` ran. */
async function counted(work: () => Promise<void>): Promise<{ controllers: number; timers: number }> {
  const { AbortController: Controller, setTimeout: timeout } = globalThis;
  const counts = { controllers: 0, timers: 0 };
  globalThis.AbortController = class extends Controller {
    constructor() {
      super();
      counts.controllers++;
    }
  };
  globalThis.setTimeout = ((...args: Parameters<typeof timeout>) => {
    counts.timers++;
    return timeout(...args);
  }) as typeof timeout;
  try {
    await work();
  } finally {
    globalThis.AbortController = Controller;
    globalThis.setTimeout = timeout;
  }
  return counts;
}

async function connected(): Promise<DharaSession> {
  const [near, far] = memoryPair();
  const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
  const extension = defineExtension({
    name: "hot",
    version: "1",
    tools: [
      { name: "now", description: "At once", inputSchema, execute: ({ text }) => text },
      { name: "later", description: "Later", inputSchema, execute: async ({ text }) => text },
      {
        name: "watches",
        description: "Reads its signal",
        inputSchema,
        execute: async ({ text }, { signal }) => (signal.aborted ? "" : text),
      },
    ],
  });
  new DharaServer(extension, far);
  const session = new DharaSession(near, { id: "hot" });
  await session.initialize({ cwd: "/" });
  return session;
}

async function callAll(session: DharaSession, tool: string, options: object = {}): Promise<void> {
  await Promise.all(Array.from({ length: CALLS }, () => session.execute(tool, { text: "x" }, options)));
}

test("[X-06] [X-08] [D-13] a call with a timeout, a schema and progress makes no timer and no AbortController of its own", async () => {
  const session = await connected();
  const { signal } = new AbortController();
  const { controllers, timers } = await counted(async () => {
    for (const tool of ["now", "later"]) {
      await callAll(session, tool);
      await callAll(session, tool, { signal, onProgress: () => {}, timeoutMs: 60_000 });
    }
  });
  assert.equal(controllers, 0);
  assert.ok(timers <= 4, `${timers} timers for ${CALLS * 4} calls`);
  await session.close();
});

test("[X-08] a handler that reads its signal gets one of its own", async () => {
  const session = await connected();
  const { controllers } = await counted(() => callAll(session, "watches"));
  assert.equal(controllers, CALLS);
  await session.close();
});

test("[D2] nothing is left behind by calls that are over", async () => {
  const session = await connected();
  const { signal, listeners } = countedSignal();
  await callAll(session, "later", { signal, onProgress: () => {} });
  assert.equal(session.peer.pending, 0);
  assert.ok(listeners() <= 1, `${listeners()} listeners`);
  await session.close();
  assert.equal(session.peer.pending, 0);
});
