/** The TypeScript example of a Dhara extension, as a process under our host. */
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import { Host, type ToolResult } from "../../mod.ts";
import { node } from "../../src/adapters/node.ts";
import { decodePng } from "../../src/cli/png_decode.ts";
import { DEAD_ADDRESS } from "../support/mx.ts";
import { extwire } from "../support/runtime.ts";
import { serving } from "../support/serving.ts";

const host = new Host(node());
before(() => host.start({ id: "web", protocol: "dhara", ...extwire("extension", "dhara") }));
after(() => host.close());

function page(body: string | Uint8Array, type = "text/html; charset=utf-8"): RequestListener {
  return (_request, response) => {
    const bytes = Buffer.from(body as string);
    response.writeHead(200, { "content-type": type, "content-length": bytes.length, connection: "close" }).end(bytes);
  };
}

async function fetched(answer: RequestListener): Promise<{ result: ToolResult; text: string; progress: string[] }> {
  const progress: string[] = [];
  const result = await serving(answer, (url) =>
    host.execute("fetch_url", { url }, { onProgress: (message) => progress.push(message) }),
  );
  const [content] = result.content;
  return { result, text: content?.type === "text" ? content.text : "", progress };
}

const HTML = `<!doctype html><html><head><title>Example Domain</title><style>p { margin: 0 }</style></head><body>
<nav><a href="/">Home</a></nav><article><h1>Example Domain</h1>
<p>This domain is for <b>documentation</b> &amp; examples — ü 漢字 😀. It may be used in texts without asking first, which is
what it is for, and nothing that is written there is meant to be read by anybody who looks for something else.</p>
<h2>A list</h2><ul><li>one</li><li>two</li></ul><pre>a
  b</pre></article><script>alert(1)</script></body></html>`;

describe("fetch_url", () => {
  test("[D-12] tells its progress as the document shows, and gives the readable text", async () => {
    const { result, text, progress } = await fetched(page(HTML));
    assert.equal(result.isError, false);
    assert.deepEqual(progress, ["Downloading... 50%", "Downloading... 100%", "Parsing HTML...", "Done"]);
    assert.match(text, /^# Example Domain\n\nThis domain is for documentation & examples — ü 漢字 😀\./);
    assert.match(text, /\n\n- one\n- two\n\n {4}a\n {6}b$/);
    assert.doesNotMatch(text, /alert|margin|Home/);
  });

  test("reads a page that is hardly one", async () => {
    assert.equal((await fetched(page("<p>tiny"))).text, "tiny");
    assert.equal((await fetched(page(""))).result.isError, false);
  });

  test("knows charsets of the header and of the page", async () => {
    const body = Buffer.from(
      "<html><head><meta charset=iso-8859-1><title>Gr\xfc\xdfe</title></head><body>a</body></html>",
      "latin1",
    );
    assert.match((await fetched(page(body, "text/html"))).text, /^# Grüße/);
    assert.match((await fetched(page(body, "text/html; charset=latin1"))).text, /^# Grüße/);
  });

  test("gives what is no HTML as it is", async () => {
    const { text, progress } = await fetched(page('{"a":1}', "application/json"));
    assert.equal(text, '{"a":1}');
    assert.ok(!progress.includes("Parsing HTML..."));
  });

  test("says in its result what went wrong: the answer, the network, the address", async () => {
    const missing = await fetched((_request, response) => response.writeHead(404, { connection: "close" }).end());
    assert.equal(missing.result.isError, true);
    assert.match(missing.text, /answered 404/);
    const refused = await host.execute("fetch_url", { url: `http://${DEAD_ADDRESS}/` });
    assert.equal(refused.isError, true);
    assert.match(JSON.stringify(refused.content), /could not be fetched/);
    assert.equal((await host.execute("fetch_url", { url: "file:///etc/passwd" })).isError, true);
  });

  test("reads ten mebibytes and no more, whatever the answer says of its length", async () => {
    const endless: RequestListener = (_request, response) => {
      const more = (): void => void response.write(new Uint8Array(256 * 1024).fill(0x61));
      response.writeHead(200, { "content-type": "text/plain" }).on("drain", more);
      more();
    };
    const { result, text, progress } = await fetched(endless);
    assert.equal(result.isError, true);
    assert.match(text, /\/ is larger than 10 MiB$/);
    assert.deepEqual(progress, []);
  });

  test("[X-08] stops downloading when it is cancelled", async () => {
    const controller = new AbortController();
    let closed: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    await serving(
      (_request, response) => {
        response.once("close", closed);
        response.writeHead(200, { "content-length": 1_000 });
        response.write("a");
        controller.abort(new Error("enough"));
      },
      async (url) => {
        await assert.rejects(host.execute("fetch_url", { url }, { signal: controller.signal }), /enough/);
        await gone;
      },
    );
  });
});

describe("content", () => {
  test("[D-15] a chart comes inline, in the size that was asked for", async () => {
    const { content } = await host.execute("draw_chart", { values: [1, -2, 3], width: 64, height: 48 });
    const [image] = content;
    assert.ok(image?.type === "image" && "data" in image && image.mimeType === "image/png");
    const picture = decodePng(Buffer.from(image.data, "base64"));
    assert.deepEqual([picture?.width, picture?.height], [64, 48]);
    assert.ok(new Set(picture!.rgba).size > 8);
  });

  test("[D-16] an identicon comes as the path of a file, the same for the same name", async () => {
    const draw = async (name: string): Promise<Buffer> => {
      const [image] = (await host.execute("identicon", { name, size: 60 })).content;
      assert.ok(image?.type === "image" && "path" in image);
      const bytes = readFileSync(image.path);
      rmSync(dirname(image.path), { recursive: true });
      return bytes;
    };
    const [ada, again, bob] = [await draw("ada"), await draw("ada"), await draw("bob")];
    assert.deepEqual(ada, again);
    assert.notDeepEqual(ada, bob);
    assert.equal(decodePng(ada)?.width, 60);
  });

  test("[D-17] word counts come as a CSV file with its size", async () => {
    const [file] = (await host.execute("count_words", { text: "To be, or not to be; ÜBER über don't" })).content;
    assert.ok(file?.type === "file" && file.mimeType === "text/csv");
    const csv = readFileSync(file.path);
    rmSync(dirname(file.path), { recursive: true });
    assert.equal(file.size, csv.length);
    assert.equal(csv.toString(), "word,count\r\nbe,2\r\nto,2\r\nüber,2\r\ndon't,1\r\nnot,1\r\nor,1\r\n");
  });
});
