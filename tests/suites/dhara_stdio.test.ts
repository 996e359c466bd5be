/** An extension on a real stdin and stdout: what it reads and writes, byte for byte, and how it ends. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Json } from "../support/messages.ts";
import { untilGone } from "../support/processes.ts";
import { fixture } from "../support/runtime.ts";
import { endWires, ProcessWire } from "../support/wire.ts";

after(endWires);

async function served(...args: string[]): Promise<ProcessWire> {
  const wire = new ProcessWire(fixture("dhara_server", ...args));
  await wire.ask("init", "initialize", { version: "0.1.0", cwd: "/" });
  return wire;
}

const CLEAN = { code: 0, signal: null };

test("[A7] what a handler writes to stdout, by console or by hand, comes out of stderr and glues onto nothing", async () => {
  const wire = await served();
  wire.request(1, "tools/execute", { toolName: "noise", input: {} });
  assert.deepEqual(await wire.next(), {
    jsonrpc: "2.0",
    id: 1,
    result: { content: [{ type: "text", text: "clean" }], isError: false },
  });
  wire.notify("shutdown");
  assert.deepEqual(await wire.rest(), []);
  assert.deepEqual(await wire.exited, CLEAN);
  const stderr = await wire.untilStderr(/again/);
  for (const line of ["console.log", "console.info", "console.debug", "no newlinebytes, no newline"]) {
    assert.ok(stderr.includes(line), line);
  }
});

test("a second serve in one process is refused in words, and the first serves on", async () => {
  const wire = await served("--twice");
  await wire.untilStderr(/^a process serves one extension: give it all the tools$/m);
  assert.equal((await wire.ask(1, "tools/list")).error, undefined);
  wire.notify("shutdown");
  assert.deepEqual(await wire.exited, CLEAN);
});

test("[A8] [D-01] blank lines, a CR before the LF and BOMs are nothing to an extension", async () => {
  const wire = await served();
  wire.write(Buffer.from("\n\n\r\n   \n\t\r\n"));
  wire.write(Buffer.from('\ufeff{"jsonrpc":"2.0","id":1,"method":"tools/list"}\r\n'));
  assert.equal((await wire.next()).id, 1);
  wire.write(Buffer.from('\ufeff\n\ufeff{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'));
  assert.equal((await wire.next()).id, 2);
  wire.notify("shutdown");
  assert.deepEqual(await wire.rest(), []);
});

test("[A1] [A2] [A3] [D-01] text comes back as it was, whatever the cuts and whatever line ends it holds", async () => {
  const wire = await served();
  for (const text of [
    "é — 😀",
    "漢字かな交じり",
    "a\u2028b\u2029c\u0085d\re\r\nf",
    "\u0000\u001f\u007f",
    "\ufeff",
    "\ufffd",
  ]) {
    // As raw as JSON allows: only what must be escaped is.
    const line = Buffer.from(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/execute", params: { toolName: "echo", input: { text } } })}\n`,
    );
    for (const byte of line) {
      wire.write(Buffer.of(byte));
      if (byte > 0x7f) await delay(1);
    }
    assert.strictEqual((await wire.next()).result.content[0].text, text);
  }
  wire.notify("shutdown");
  await wire.exited;
});

test("[A14] a byte that is no UTF-8 costs an extension that character only", async () => {
  const wire = await served();
  const params = { toolName: "echo", input: { text: "a#b" } };
  const line = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/execute", params })}\n`);
  line[line.indexOf("#")] = 0x97;
  wire.write(line);
  assert.equal((await wire.next()).result.content[0].text, "a\ufffdb");
  wire.notify("shutdown");
  assert.deepEqual(await wire.exited, CLEAN);
});

test("[A5] [A6] [C8] [X-05] to an extension each bad line is one -32700, and the next good one is answered", async () => {
  const wire = await served();
  wire.send("{bad", "", "{", '{"jsonrpc"', "   ");
  for (let i = 0; i < 3; i++) {
    const { id, error } = await wire.next();
    assert.deepEqual([id, error.code], [null, -32700]);
  }
  assert.equal(
    (await wire.ask(1, "tools/execute", { toolName: "echo", input: { text: "good" } })).result.isError,
    false,
  );
  wire.notify("shutdown");
  await wire.exited;
});

test("[D-09] the author's clean-up runs on shutdown, and then it exits with code 0 whatever timers live", async () => {
  const wire = await served("--say-goodbye");
  wire.notify("shutdown");
  assert.deepEqual(await wire.exited, CLEAN);
  await wire.untilStderr(/cleaned up/);
});

for (const end of ["shutdown", "the end of stdin"]) {
  test(`[D-09] when the author's clean-up fails, it says why and exits with code 1, on ${end}`, async () => {
    const wire = await served("--fail-goodbye");
    if (end === "shutdown") wire.notify("shutdown");
    else wire.end();
    assert.deepEqual(await wire.exited, { code: 1, signal: null });
    await wire.untilStderr(/disk full/);
  });
}

test("[D-02] [D-09] a whole life in one write: every answer comes before the end", async () => {
  const wire = new ProcessWire(fixture("dhara_server", "--patient"));
  const text = "x".repeat(100_000);
  wire.send(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"version":"0.1.0","cwd":"/"}}',
    ...Array.from({ length: 20 }, (_, id) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id: id + 2,
        method: "tools/execute",
        params: { toolName: "echo", input: { text } },
      }),
    ),
    '{"jsonrpc":"2.0","method":"shutdown"}',
  );
  const answers = (await wire.rest()).map((each) => JSON.parse(each) as Json);
  assert.deepEqual(
    answers.map(({ id }) => id),
    Array.from({ length: 21 }, (_, id) => id + 1),
  );
  assert.deepEqual(await wire.exited, CLEAN);
});

for (const end of ["shutdown", "the end of stdin"]) {
  test(`[E2] [D-09] the last line is complete before the exit on ${end}, even for a slow reader`, async () => {
    const wire = await served("--patient");
    wire.child.stdout!.pause();
    wire.request(1, "tools/execute", { toolName: "large", input: { size: 4 * 1024 * 1024 } });
    wire.request(2, "tools/execute", { toolName: "echo", input: { text: "last" } });
    if (end === "shutdown") wire.notify("shutdown");
    else wire.end();
    let exited = false;
    void wire.exited.then(() => {
      exited = true;
    });
    await delay(1_500);
    assert.equal(exited, false, "it waits for its reader");
    wire.child.stdout!.resume();
    const [large, last] = (await wire.rest()).map((each) => JSON.parse(each) as Json);
    assert.equal(large.result.content[0].text.length, 4 * 1024 * 1024);
    assert.equal(last.result.content[0].text, "last");
    assert.deepEqual(await wire.exited, CLEAN);
  });
}

test("[X-06] [D24] a line over the limit ends it with code 1, and it says why", async () => {
  const wire = await served("--small");
  wire.write(Buffer.from(`${" ".repeat(2_000)}`));
  assert.deepEqual(await wire.exited, { code: 1, signal: null });
  await wire.untilStderr(/^line at byte \d+ exceeds maxMessageBytes \(1000 bytes\)/m);
});

test("[X-21] [D1] it exits at the end of stdin, whatever timers it has", async () => {
  const wire = await served("--say-goodbye");
  wire.end();
  assert.deepEqual(await wire.exited, CLEAN);
  await wire.untilStderr(/cleaned up/);
});

test("[D22] at the end of stdin a running handler's signal is aborted, and nothing is written any more", async () => {
  const wire = await served();
  wire.request(1, "tools/execute", { toolName: "wait", input: {} });
  assert.equal((await wire.next()).method, "progress");
  wire.end();
  assert.deepEqual(await wire.rest(), []);
  await wire.untilStderr(/aborted: .*the other side closed the connection/);
  assert.deepEqual(await wire.exited, CLEAN);
});

test("[D1] it exits when nobody reads its stdout any more", async () => {
  const wire = await served();
  wire.child.stdout!.destroy();
  // Only a write can tell it, and the first ones may come before the pipe is closed.
  let id = 1;
  const timer = setInterval(
    () => wire.request(id++, "tools/execute", { toolName: "echo", input: { text: "to nobody" } }),
    20,
  );
  await wire.exited;
  clearInterval(timer);
});

test("[X-21] [D1] when its host is killed, it exits though a handler waits and a timer runs", async () => {
  const extension = fixture("dhara_server");
  const { command, args } = fixture("dhara_parent", extension.command, ...extension.args);
  const parent = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [chunk] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(String(chunk));
  assert.ok(pid > 0);
  parent.kill("SIGKILL");
  await untilGone(pid);
});

test("[X-08] a handler that gives up when its call is cancelled leaves no stack trace, one that fails by itself does", async () => {
  const wire = await served();
  wire.request(1, "tools/execute", { toolName: "wait", input: {}, toolCallId: "a" });
  await wire.next();
  wire.notify("tools/cancel", { toolCallId: "a" });
  assert.equal((await wire.next()).error.message, "the host cancelled the call");
  wire.request(2, "tools/execute", { toolName: "fails", input: { how: "throws" } });
  assert.equal((await wire.next()).id, 2);
  assert.doesNotMatch(await wire.untilStderr(/it broke/), /ExtensionError/);
  wire.notify("shutdown");
  assert.deepEqual(await wire.exited, CLEAN);
});
