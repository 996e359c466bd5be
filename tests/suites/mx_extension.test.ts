/** What an extension keeps: its times, limits, token and listeners (X-06, X-14, C25), over channels in memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scalarCodec as codec } from "../../codec/scalar.ts";
import { readMxEnvironment, splitAddress } from "../../src/mx/environment.ts";
import { MxClient, type MxClientOptions } from "../../src/mx/extension.ts";
import { MxGate } from "../../src/mx/host.ts";
import { testPattern } from "../../src/mx/test_pattern.ts";
import type { Diagnostic } from "../../src/rpc/channel.ts";
import type { ExtensionError } from "../../src/rpc/errors.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { FakeTime } from "../support/fake_time.ts";
import { HandChannel } from "../support/hand_channel.ts";
import { rejected } from "../support/rejected.ts";

const id = "com.example.one";

/** Our extension, and the host by hand that has let it in. */
async function extending(options: Partial<MxClientOptions> = {}) {
  const host = new HandChannel();
  const connecting = MxClient.connect(host, { id, token: "a token", codec, ...options });
  const [{ id: asked }] = host.messages;
  const result = { protocolVersion: 1, hostCapabilities: [], sessionId: `${id}-0` };
  host.says(JSON.stringify({ jsonrpc: "2.0", id: asked, result }));
  return { host, client: await connecting };
}

test("[C4] an extension waits 10 s for the answer to its hello where nobody says how long, and says what it waited for", async () => {
  await FakeTime.run(async (time) => {
    const refused = rejected(MxClient.connect(new HandChannel(), { id, token: "a token", codec }));
    let settled = false;
    void refused.then(() => (settled = true));
    await time.pass(9_999);
    assert.equal(settled, false);
    await time.pass(1);
    const error = (await refused) as ExtensionError;
    assert.match(error.message, /^hello as com\.example\.one failed: no answer to host\.v1\.hello within 10000 ms/);
    assert.deepEqual([error.code, error.extension], ["handshake-failed", id]);
  });
});

test("[M-15] an extension that was given no token is told so in whole words", async () => {
  const gate = new MxGate({ id, codec, vms: testPattern(), onSession: () => {} });
  const [theirs, ours] = memoryPair();
  gate.attach(theirs);
  const { message } = await rejected(MxClient.connect(ours, { id, token: "", codec }));
  assert.equal(
    message,
    `hello as ${id} failed: the host refused it: hello token is not the token issued for this extension (-32602)`,
  );
  await gate.close();
});

test("[X-06] an extension keeps the times and limits it was given, for its calls too", async () => {
  await FakeTime.run(async (time) => {
    const { client } = await extending({ timeoutMs: 200, limits: { maxMessageBytes: 1_000, maxInFlight: 2 } });
    const calls = [rejected(client.listVms()), rejected(client.captureFramebuffer("a"))];
    await time.pass(200);
    for (const call of calls) assert.match((await call).message, /within 200 ms/);
    assert.match(
      (await rejected(client.captureFramebuffer("v".repeat(1_000)))).message,
      /maxMessageBytes \(1000 bytes\)/,
    );
    await client.close();
  });
});

test("[C25] what an extension's listener throws is told it, and stops nothing", async () => {
  const told: string[] = [];
  const { host, client } = await extending({
    onDiagnostic({ message }) {
      told.push(message);
      if (told.length === 1) throw new Error("no disk");
    },
  });
  host.says("{");
  assert.equal(told[1], "a listener failed: no disk");
  host.says(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "extension.v1.reportStatus" }));
  const listing = client.listVms();
  host.says(JSON.stringify({ jsonrpc: "2.0", id: 2, result: [] }));
  assert.deepEqual(await listing, []);
  assert.equal(client.signal.aborted, false);
  await client.close();
  assert.equal(client.signal.aborted, true);
});

test("[X-05] [X-14] what comes amiss is shown to an extension's listener, but for what may hold its token", async () => {
  const told: string[] = [];
  const onDiagnostic = ({ line }: Diagnostic) => void told.push(String(line));
  const { host, client } = await extending({ onDiagnostic });
  host.says("{oops");
  host.says("{oops a token");
  assert.deepEqual(told, ["{oops", "undefined"]);
  await client.close();
});

test("[M-14] [M-20] what a host's variables say is read as it stands, and the one that is missing or wrong is named", () => {
  const good = {
    MX_EXTENSION_HOST: "127.0.0.1:5000",
    MX_EXTENSION_TOKEN: "abc",
    MX_EXTENSION_ID: id,
    MX_EXTENSION_PROTOCOL: "1",
  };
  assert.deepEqual(readMxEnvironment({ ...good, OTHER: 1 }), {
    address: "127.0.0.1:5000",
    token: "abc",
    id,
    protocol: 1,
  });
  for (const name of Object.keys(good)) {
    for (const value of [undefined, "", 1]) {
      assert.throws(() => readMxEnvironment({ ...good, [name]: value }), {
        code: "start-failed",
        message: `${name} is not in the environment: an MX extension gets its MX_* variables from the host that starts it with protocol mx`,
      });
    }
  }
  for (const [address, host, port] of [
    ["127.0.0.1:1", "127.0.0.1", 1],
    ["h:65535", "h", 65_535],
    ["[::1]:80", "::1", 80],
  ] as const)
    assert.deepEqual(splitAddress(address), { host, port });
  for (const address of ["localhost", ":80", "h:", "h:0", "h:65536", "h:1.5", "h:-1", "h:x", ""]) {
    const message = `MX_EXTENSION_HOST is ${JSON.stringify(address)}: it must be HOST:PORT`;
    assert.throws(() => splitAddress(address), { code: "start-failed", message });
  }
});
