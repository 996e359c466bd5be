/** The Python example of a Dhara extension, against a host made of a pipe and nothing else. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Json } from "../support/messages.ts";
import { example, HANDED_DOWN, NO_PYTHON, PYTHON } from "../support/python.ts";
import { execute } from "../support/served.ts";
import { serving } from "../support/serving.ts";
import { endWires, ProcessWire } from "../support/wire.ts";

after(endWires);

const SKIP = { skip: NO_PYTHON };

function start(): ProcessWire {
  return new ProcessWire({ command: PYTHON, args: ["-B", example("dhara_extension.py")] }, HANDED_DOWN);
}

async function initialized(cwd: string = process.cwd()): Promise<ProcessWire> {
  const extension = start();
  await extension.ask("init", "initialize", { version: "0.1.0", cwd });
  return extension;
}

/** Ends it by `shutdown` and sees that the end was clean, and that nothing was said on stderr, nor on stdout but messages. */
async function stop(extension: ProcessWire): Promise<void> {
  const closed = once(extension.child, "close");
  extension.notify("shutdown");
  assert.deepEqual(await closed, [0, null]);
  for (const text of await extension.rest()) JSON.parse(text);
  assert.equal(extension.stderr(), "");
}

test("the Python Dhara example lists its tools, runs one, and exits with 0 on shutdown", SKIP, async () => {
  const extension = start();
  const { result } = await extension.ask("init", "initialize", { version: "0.1.0", cwd: process.cwd() });
  assert.equal(result.name, "python-tools");
  assert.equal(typeof result.version, "string");
  assert.deepEqual(
    result.tools.map((tool: Json) => tool.name),
    ["fetch_url", "draw_gradient", "draw_chart", "list_files"],
  );
  for (const tool of result.tools) assert.equal(tool.inputSchema.type, "object");
  assert.deepEqual((await extension.ask("l", "tools/list")).result.tools, result.tools);
  await stop(extension);
});

test("the Python Dhara example fetches a page with progress and extracts its text", SKIP, async () => {
  const page = `<!doctype html><title>Exämple — 😀</title><style>p{}</style><h1>Exämple — 😀</h1>
    <p>One &amp; <b>two</b>\n three</p><script>no()</script><ul><li>a<li>b</ul><pre>x\n  y</pre>`;
  await serving(
    (_request, response) => {
      const body = Buffer.from(page);
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-length": body.length });
      response.end(body);
    },
    async (url) => {
      const extension = await initialized();
      extension.request(7, "tools/execute", { toolName: "fetch_url", input: { url }, toolCallId: "call-7" });
      for (const message of ["Downloading... 100%", "Parsing HTML...", "Done"]) {
        const { method, params } = await extension.next();
        assert.deepEqual([method, params], ["progress", { message, toolCallId: "call-7" }]);
      }
      const { id, result } = await extension.next();
      assert.equal(id, 7);
      assert.deepEqual(result, {
        content: [{ type: "text", text: "# Exämple — 😀\n\nOne & two three\n\n- a\n- b\n\nx\n  y" }],
        isError: false,
      });
      await stop(extension);
    },
  );
});

test(
  "the Python Dhara example reads Latin-1 pages, plain text, and says what went wrong with others",
  SKIP,
  async () => {
    await serving(
      (request, response) => {
        if (request.url === "/latin1") {
          response.writeHead(200, { "content-type": "text/html" });
          response.end(Buffer.from('<meta charset="iso-8859-1"><p>caf\xe9', "latin1"));
        } else if (request.url === "/text") {
          response.writeHead(200, { "content-type": "text/plain" });
          response.end("<b>as it is</b>");
        } else if (request.url === "/cut") {
          response.writeHead(200, { "content-type": "text/plain", "content-length": 100 });
          response.write("short", () => response.destroy());
        } else {
          response.writeHead(404);
          response.end();
        }
      },
      async (url) => {
        const extension = await initialized();
        const fetched = async (id: number, path: string) => {
          extension.request(id, "tools/execute", { toolName: "fetch_url", input: { url: url + path } });
          return (await extension.pick((message) => message.id === id)).result;
        };
        assert.equal((await fetched(1, "latin1")).content[0].text, "café");
        assert.equal((await fetched(2, "text")).content[0].text, "<b>as it is</b>");
        const missing = await fetched(3, "missing");
        assert.equal(missing.isError, true);
        assert.match(missing.content[0].text, /404/);
        const cut = await fetched(4, "cut");
        assert.equal(cut.isError, true);
        assert.match(cut.content[0].text, /ended after 5 of 100 bytes/);
        await stop(extension);
      },
    );
  },
);

test("the Python Dhara example returns an image inline, one by path, and a CSV file", SKIP, async () => {
  const folder = mkdtempSync(join(tmpdir(), "extwire-python-"));
  try {
    writeFileSync(join(folder, 'b, "ü".txt'), "12345");
    writeFileSync(join(folder, "a.bin"), "");
    const extension = await initialized(folder);

    const [inline] = (await execute(extension, "draw_gradient", { width: 3, height: 2 }, 1)).result.content;
    assert.equal(inline.type, "image");
    assert.equal(inline.mimeType, "image/png");
    assert.deepEqual(pngSize(Buffer.from(inline.data, "base64")), [3, 2]);

    const [chart] = (await execute(extension, "draw_chart", { values: [1, 2.5, 0] }, 2)).result.content;
    assert.deepEqual(Object.keys(chart), ["type", "path"]);
    assert.equal(chart.type, "image");
    assert.deepEqual(pngSize(readFileSync(chart.path)), [24, 100]);

    const [csv] = (await execute(extension, "list_files", {}, 3)).result.content;
    const written = readFileSync(csv.path);
    assert.deepEqual(csv, { type: "file", path: csv.path, size: written.length, mimeType: "text/csv" });
    assert.equal(written.toString(), 'name,bytes\r\na.bin,0\r\n"b, ""ü"".txt",5\r\n');
    rmSync(chart.path);
    rmSync(csv.path);
    await stop(extension);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the Python Dhara example names the parameter that is wrong", SKIP, async () => {
  const extension = await initialized();
  const error = async (id: number, tool: string, input: unknown) => (await execute(extension, tool, input, id)).error;
  assert.deepEqual(await error(1, "fetch_url", {}), {
    code: -32602,
    message: "Missing required parameter 'url'",
    data: { toolName: "fetch_url" },
  });
  assert.match((await error(2, "fetch_url", { url: 5 })).message, /'url' must be of type string/);
  assert.match((await error(3, "fetch_url", { url: "file:///etc/passwd" })).message, /http/);
  assert.match((await error(4, "draw_gradient", { width: true })).message, /'width' must be of type integer/);
  assert.match((await error(5, "draw_gradient", { width: 0 })).message, /'width' must be at least 1/);
  assert.match((await error(6, "draw_gradient", { width: 1025 })).message, /'width' must be at most 1024/);
  assert.match((await error(7, "draw_chart", { values: ["x"] })).message, /'values'/);
  assert.match((await error(8, "fetch_url", [])).message, /input must be an object/);
  const unknown = await error(9, "toString", {});
  assert.equal(unknown.code, -32602);
  assert.deepEqual(unknown.data, { toolName: "toString" });
  await stop(extension);
});

test("the Python Dhara example keeps to JSON-RPC where others slip", SKIP, async () => {
  const extension = start();
  // Before initialize.
  assert.equal((await execute(extension, "list_files", {}, 0)).error.code, -32600);
  const greeting = { version: "0.1.0", cwd: process.cwd() };
  assert.equal((await extension.ask(1, "initialize", greeting)).error, undefined);
  assert.equal((await extension.ask(1, "initialize", greeting)).error.code, -32600);
  // Ids keep their type; 0 and "" are ids.
  for (const id of [0, "", 1, "1", "é"]) assert.equal((await extension.ask(id, "tools/list")).id, id);
  assert.match((await extension.ask(2, "nope")).error.message, /method not found: nope/);
  // Neither a notification nor an answer nor a blank line is answered; a bad line costs itself.
  extension.notify("nope");
  extension.send(
    '{"jsonrpc":"2.0","id":5,"result":null}',
    '{"jsonrpc":"2.0","id":5}',
    '{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"no"}}',
    "",
    "\r",
    "  ",
    '\uFEFF{"jsonrpc":"2.0","id":3,"method":"tools/list"}\r',
  );
  assert.equal((await extension.next()).id, 3);
  for (const [line, code] of [
    ["{bad", -32700],
    ['{"jsonrpc":"2.0","id":NaN,"method":"x"}', -32700],
    ["[]", -32600],
    ["1", -32600],
    ['{"jsonrpc":"1.0","id":4,"method":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":true,"method":"x"}', -32600],
    [`{"a":${"[".repeat(100_000)}`, -32700],
  ] as const) {
    extension.send(line);
    const answer = await extension.next();
    assert.equal(answer.id, null, line.slice(0, 60));
    assert.equal(answer.error.code, code, line.slice(0, 60));
  }
  extension.write(Buffer.from([0x22, 0x97, 0x22, 0x0a]));
  assert.match((await extension.next()).error.message, /utf-8/);
  await stop(extension);
});

test(
  "the Python Dhara example reads text that arrives one byte at a time, with every kind of line end in it",
  SKIP,
  async () => {
    const extension = await initialized();
    const name = "é — 😀 \u2028 \u2029 \u0085 \v 語";
    const line = `{"jsonrpc":"2.0","id":1,"method":"tools/execute","params":{"toolName":${JSON.stringify(name)},"input":{}}}\n`;
    extension.child.stdin!.setMaxListeners(0);
    for (const byte of Buffer.from(line)) extension.write(Uint8Array.of(byte));
    assert.equal((await extension.next()).error.data.toolName, name);
    // A lone surrogate has no UTF-8 form and still comes back as it was.
    extension.send('{"jsonrpc":"2.0","id":2,"method":"tools/execute","params":{"toolName":"\\ud800"}}');
    assert.equal((await extension.next()).error.data.toolName, "\ud800");
    await stop(extension);
  },
);

test("the Python Dhara example hears cancel and shutdown while a download goes on", SKIP, async () => {
  await serving(
    (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": 1_000_000_000 });
      response.write(Buffer.alloc(100_000));
      // The download ends only when the other side has had enough.
      const timer = setInterval(() => response.write(Buffer.alloc(1_000)), 5);
      response.once("close", () => clearInterval(timer));
    },
    async (url) => {
      const extension = await initialized();
      const first = { toolName: "fetch_url", input: { url }, toolCallId: "one" };
      extension.request(1, "tools/execute", first);
      await extension.pick(({ params }) => params?.toolCallId === "one");
      extension.request(1, "tools/execute", { toolName: "list_files" });
      await extension.pick(({ id, error }) => id === 1 && /still in flight/.test(error?.message));
      extension.notify("tools/cancel", { toolCallId: "one" });
      await extension.pick(({ id, error }) => id === 1 && error?.message === "cancelled");
      extension.request(2, "tools/execute", { ...first, toolCallId: "two" });
      await extension.pick(({ params }) => params?.toolCallId === "two");
      await stop(extension);
    },
  );
});

test("the Python Dhara example ends with the end of its stdin", SKIP, async () => {
  const extension = await initialized();
  extension.end();
  assert.deepEqual(await extension.exited, { code: 0, signal: null });
});

function pngSize(png: Buffer): [width: number, height: number] {
  assert.equal(png.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
  assert.equal(png.subarray(-8, -4).toString("latin1"), "IEND");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
