/** The example worker in workerd, against our host over real TCP. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MxGate, type MxGateOptions, type MxSession, testPattern } from "extwire";
import { node } from "extwire/node";
import type { Miniflare } from "miniflare";
import { bundleWorker } from "../../tools/examples.ts";
import { startWorker } from "../support/workerd.ts";

const ID = "com.example.edge";
/** For what must not run out, however busy the machine is. */
const PATIENCE_MS = 60_000;
/** The first with streams as the standard has them; there is no MessageChannel yet. */
const OLDEST_COMPATIBILITY_DATE = "2022-11-30";
const code = await bundleWorker();

/** Runs `use` with the worker, which has the bindings that a host issued. */
async function withWorker(
  use: (worker: Miniflare, gate: MxGate) => Promise<void>,
  onSession: MxGateOptions["onSession"] = (session) => session.reportStatus(),
  compatibilityDate?: string,
): Promise<void> {
  const platform = node();
  const vms = testPattern({ width: 64, height: 48 });
  const gate = new MxGate({ id: ID, codec: platform.codec(), vms, helloTimeoutMs: PATIENCE_MS, onSession });
  const listener = await platform.listen((pipe) => gate.accept(pipe));
  const worker = startWorker(code, gate.environment(listener.address), compatibilityDate);
  try {
    await use(worker, gate);
  } finally {
    await worker.dispose();
    await gate.close();
    await listener.close();
  }
}

async function get(worker: Miniflare, path: string, body?: unknown) {
  return await worker.dispatchFetch(
    `http://localhost${path}`,
    body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
  );
}

describe("the example worker", () => {
  test("lists the tools of the extension inside", async () => {
    await withWorker(async (worker) => {
      const tools = (await (await get(worker, "/tools")).json()) as { name: string }[];
      assert.deepEqual(
        tools.map(({ name }) => name),
        ["count_words", "sha256"],
      );
    });
  });

  test("calls a tool with progress, and says what is wrong with an input", async () => {
    await withWorker(async (worker) => {
      const called = await (await get(worker, "/tools/count_words", { text: "é — 😀 twice" })).text();
      const lines = called
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      assert.deepEqual(lines, [
        { progress: "reading 12 characters" },
        { result: { content: [{ type: "text", text: "4 words, 11 characters, 17 bytes" }], isError: false } },
      ]);
      const refused = await (await get(worker, "/tools/count_words", { text: 5 })).text();
      assert.match(refused, /-32602.*text/);
      assert.match(await (await get(worker, "/tools/count_word", {})).text(), /count_words/);
    });
  });

  test("[M-21] [X-18] asks the host for its VMs, and shows one as a picture", async () => {
    await withWorker(async (worker) => {
      assert.deepEqual(await (await get(worker, "/vms")).json(), [
        { id: "demo", name: "Test pattern", state: "running" },
      ]);
      const picture = await get(worker, "/vms/demo.png");
      assert.equal(picture.headers.get("content-type"), "image/png");
      const png = new DataView(await picture.arrayBuffer());
      assert.deepEqual([png.getUint32(16), png.getUint32(20)], [64, 48]);
      const unknown = await get(worker, "/vms/nobody.png");
      assert.equal(unknown.status, 422);
      assert.match(await unknown.text(), /-32602.*nobody/);
    });
  });

  test("[M-10] [M-17] [M-19] stays connected until the host says goodbye", async () => {
    let joined: (session: MxSession) => void;
    const session = new Promise<MxSession>((resolve) => {
      joined = resolve;
    });
    await withWorker(
      async (worker, gate) => {
        const held = get(worker, "/session", {});
        const live = await session;
        const status = await live.reportStatus(PATIENCE_MS);
        assert.deepEqual([status.state, status.message, status.version], ["ready", "asked 1 times", "1.0.0"]);
        assert.equal((await live.reportStatus(PATIENCE_MS)).message, "asked 2 times");
        await live.shutdown(PATIENCE_MS);
        const told = (await (await held).json()) as Record<string, unknown>;
        assert.equal(told["sessionId"], live.sessionId);
        assert.equal(told["statusReports"], 2);
        assert.match(String(told["ended"]), /shutdown/);
        assert.equal(gate.session, undefined);
      },
      (live) => joined(live),
    );
  });

  test("has no need of what came with a later compatibility date", async () => {
    await withWorker(
      async (worker) => {
        assert.match(await (await get(worker, "/tools/count_words", { text: "two words" })).text(), /2 words/);
        assert.equal((await get(worker, "/vms/demo.png")).status, 200);
      },
      (session) => session.reportStatus(),
      OLDEST_COMPATIBILITY_DATE,
    );
  });

  test("says so when nobody listens, and when the host refuses", async () => {
    const environment = { MX_EXTENSION_HOST: "127.0.0.1:9", MX_EXTENSION_TOKEN: "t", MX_EXTENSION_ID: ID };
    const alone = startWorker(code, { ...environment, MX_EXTENSION_PROTOCOL: "1" });
    try {
      const answer = await get(alone, "/vms");
      assert.equal(answer.status, 502);
      assert.match(await answer.text(), /start-failed.*127\.0\.0\.1:9/);
    } finally {
      await alone.dispose();
    }
    const bare = startWorker(code);
    try {
      assert.match(await (await get(bare, "/vms")).text(), /MX_EXTENSION_HOST/);
    } finally {
      await bare.dispose();
    }
    await withWorker(async (worker, gate) => {
      await gate.close();
      assert.match(await (await get(worker, "/vms")).text(), /handshake-failed/);
    });
  });
});
