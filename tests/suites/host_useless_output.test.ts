/** What came from an extension and was of no use, or a wrong answer, is often why a call failed: the error says it, and whose it was. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import type { ExtensionManifest } from "../../src/host/manifest.ts";
import type { Script } from "../support/dhara_process.ts";
import { dhara, type Hosting, hosting, mx, wrapped } from "../support/hosting.ts";
import { failsWith } from "../support/rejected.ts";
import { fixture } from "../support/runtime.ts";

const TOOLS = [{ name: "t", description: "A tool", inputSchema: { type: "object" } }];
const READY = `{"jsonrpc":"2.0","id":"ID","result":{"name":"x","version":"1","tools":${JSON.stringify(TOOLS)}}}`;
const STRANGER = '{"jsonrpc":"2.0","id":1002,"result":{"content":[]}}';

function scripted(script: Script): ExtensionManifest {
  return { id: "x", protocol: "dhara", ...fixture("dhara_script", JSON.stringify(script)) };
}

test("a call that timed out tells of stray output and of answers to nothing", async () => {
  await hosting(async ({ host }) => {
    await host.start(scripted({ on: { initialize: ["started ok", STRANGER, READY] } }));
    const { message } = await failsWith(host.execute("t", {}, { timeoutMs: 1 }), "timeout");
    assert.match(message, /It also wrote invalid output to stdout:\n {4}invalid-json: .*started ok/);
    assert.match(message, /\n {4}unexpected-answer: .*1002/);
  });
});

test("a call whose extension ended tells of them beside its stderr, the last ones", async () => {
  await hosting(async ({ host }) => {
    const junk = Array.from({ length: 9 }, (_, i) => `junk ${i}`);
    await host.start(scripted({ on: { initialize: [READY], "tools/execute t": [...junk, { exit: 3 }] } }));
    const { message } = await failsWith(host.execute("t"), "exited");
    assert.match(
      message,
      /^tool 't' was not answered: extension 'x' \(.*\) exited with code 3\.\nIts last lines on stderr:\n/,
    );
    assert.match(message, /It also wrote invalid output to stdout, the last 5 of 9:\n {4}.*junk 4/);
    assert.match(message, /junk 8"$/);
  });
});

test("an extension that sent nothing but answers has no such lines", async () => {
  await hosting(async ({ host }) => {
    await host.start(scripted({ on: { initialize: [READY], "tools/execute t": [{ exit: 3 }] } }));
    const { message } = await failsWith(host.execute("t"), "exited");
    assert.doesNotMatch(message, /could not be used/);
  });
});

const WRONG: Readonly<Record<string, readonly [answer: string, message: RegExp]>> = {
  "an id of another type": ['{"jsonrpc":"2.0","id":"2","result":{"content":[]}}', /answered with the id "2", a string/],
  "NaN in it": ['{"jsonrpc":"2.0","id":2,"result":{"content":[],"x":NaN}}', /invalid JSON/],
  "neither a result nor an error": ['{"jsonrpc":"2.0","id":2}', /neither a result nor an error/],
  "both of them": [
    '{"jsonrpc":"2.0","id":2,"result":1,"error":{"code":1,"message":"x"}}',
    /both a result and an error/,
  ],
  "an error that is none and names the extension": [
    `{"jsonrpc":"2.0","id":2,"error":"extension 'x' is out of ink"}`,
    /not a \{code, message\} object: "extension 'x' is out of ink"$/,
  ],
};

for (const [what, [answer, message]] of Object.entries(WRONG)) {
  test(`an answer with ${what} fails a call that names its tool and its extension`, async () => {
    await hosting(async ({ host }) => {
      await host.start(scripted({ on: { initialize: [READY], "tools/execute t": [answer] } }));
      const error = await failsWith(host.execute("t"), "protocol");
      assert.match(error.message, /^tool 't' of extension 'x': /);
      assert.match(error.message, message);
      assert.equal(error.extension, "x");
    });
  });
}

/** The message of a timeout that tells of what came before it: a busy machine is given more time until something has. */
async function withPatience(told: RegExp, late: (ms: number) => Promise<string>): Promise<string> {
  for (let ms = 1_000; ; ms *= 4) {
    const message = await late(ms);
    if (told.test(message)) return message;
    assert.ok(ms < 60_000, message);
  }
}

test("a start and a call that timed out show the line that lacks its end, traced or not", async () => {
  const work = async ({ host }: Hosting) => {
    const hex = Buffer.from(READY.replace('"ID"', "1")).toString("hex");
    const unready = scripted({ on: { initialize: [{ hex }] } });
    const line = /; the line at byte 0 has \d+ bytes but no LF yet \(every message must end with one\): "\{\\"jsonrpc/;
    const message = await withPatience(line, async (startTimeoutMs) => {
      return (await failsWith(host.start({ ...unready, startTimeoutMs }), "handshake-failed")).message;
    });
    assert.doesNotMatch(message, /buffered/);
    const answer = { hex: Buffer.from('{"jsonrpc":"2.0","id":2,"result":{"content":[]}}').toString("hex") };
    await host.start(scripted({ on: { initialize: [READY], "tools/execute t": [answer] } }));
    await withPatience(/; the line at byte \d+ has 48 bytes but no LF yet/, async (timeoutMs) => {
      return (await failsWith(host.execute("t", {}, { timeoutMs }), "timeout")).message;
    });
  };
  await hosting(work);
  await hosting(work, { trace: true });
});

test("a start that timed out says what it is most often", async () => {
  await hosting(async ({ host }) => {
    const silent = { ...scripted({ on: { initialize: [] } }), startTimeoutMs: 1_000 };
    const { message } = await failsWith(host.start(silent), "handshake-failed");
    assert.match(
      message,
      /within 1000 ms \(it was sent\)\. Its stdout may be buffered: flush it after each message\.\n/,
    );
    for (const id of ["7", "null"]) {
      const astray = `{"jsonrpc":"2.0","id":${id},"result":{"name":"x","version":"1","tools":[]}}`;
      const start = host.start({ ...scripted({ on: { initialize: [astray] } }), startTimeoutMs: 1_000 });
      const { message } = await failsWith(start, "handshake-failed");
      assert.doesNotMatch(message, /buffered/);
      assert.match(
        message,
        /invalid output to stdout:\n {4}unexpected-answer: an answer to a request that was never made: /,
      );
    }
    const refusal = '{"jsonrpc":"2.0","id":"ID","error":{"code":-32000,"message":"no licence"}}';
    const refused = await failsWith(host.start(scripted({ on: { initialize: [refusal] } })), "handshake-failed");
    assert.doesNotMatch(refused.message, /buffered/);
  });
});

test("a request of an extension that its host does not serve is a diagnostic with its name and the answer", async () => {
  await hosting(async ({ host, until }) => {
    const request = '{"jsonrpc":"2.0","id":9,"method":"host/readFile"}';
    await host.start(scripted({ on: { initialize: [READY], "tools/execute t": [request] } }));
    host.execute("t").catch(() => {});
    const event = await until(({ type }) => type === "diagnostic");
    const message = 'its request "host/readFile" was answered with the error -32601: method not found: host/readFile';
    assert.deepEqual(event, { type: "diagnostic", extension: "x", code: "refused-request", message });
  });
});

test("an MX extension that answers its first status with an error, or with no status, is told so", async () => {
  await hosting(async ({ host }) => {
    const error = await failsWith(host.start(mx({ status: "error" })), "handshake-failed");
    assert.match(
      error.message,
      /did not complete its handshake: answered extension\.v1\.reportStatus with the error -32601: what is that\?/,
    );
    const odd = await failsWith(host.start(mx({ status: [{ state: "ok", message: "" }] })), "handshake-failed");
    assert.match(odd.message, /field `state` must be one of ready, degraded, failed, not "ok"/);
  });
});

test("an MX extension that breaks the protocol in a whole message is told of it as in a cut one", async () => {
  await hosting(async ({ host, until }) => {
    await host.start(mx({ badAttachment: true }, { restart: false }));
    const event = await until((each) => each.type === "state" && each.state === "stopped");
    assert.ok(event.type === "state");
    assert.match(
      event.message ?? "",
      /^extension 'raw' \(.*\) broke the protocol: attachment in the frame at byte \d+ is malformed/,
    );
  });
});

test("the stdout of an MX extension is its own: only a start that failed tells of it", async () => {
  await hosting(async ({ host }) => {
    const chatty = { stdout: "listening\n", token: "no" };
    const failed = await failsWith(host.start(mx(chatty, { id: "bad" })), "start-failed");
    assert.match(failed.message, /Its last lines on stdout:\n {4}listening/);
  });
});

test("a start whose connection was refused tells why, whatever the extension makes of that", async () => {
  await hosting(async ({ host }) => {
    const start = host.start(mx({ token: "no" }));
    const why = "hello token is not the token issued for this extension";
    const { message } = await failsWith(start, "start-failed");
    assert.ok(message.includes(` before it was ready; the last connection was refused: ${why}.`), message);
    assert.doesNotMatch(message, /ended at once/);
  });
});

test("the last words of an extension that was asked to stop are told, though their line has no end", async () => {
  await hosting(async ({ host, events, until }) => {
    const handle = await host.start(wrapped('"$@"; printf "last words" >&2', dhara()));
    await handle.stop();
    await until((event) => event.type === "exit");
    assert.equal(handle.snapshot().stderr().at(-1), "last words");
    const told = events.flatMap((event) =>
      event.type === "stderr" ? event.line : event.type === "exit" ? "exit" : [],
    );
    assert.deepEqual(told.slice(-2), ["last words", "exit"]);
  });
});
