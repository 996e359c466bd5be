/** The example page in headless Chromium, under its policy: no eval, no inline code, nothing from elsewhere. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { bundlePage } from "../../tools/examples.ts";
import { PATIENCE_MS, startChromium } from "../../tools/test/chromium.ts";
import { serveStatic, type WebServer } from "../../tools/test/web_server.ts";

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'";

describe("the example page", () => {
  let browser: Browser;
  let server: WebServer;
  let page: Page;
  const complaints: string[] = [];

  before(async () => {
    const files = await bundlePage();
    const headers = { "content-security-policy": POLICY };
    server = await serveStatic({
      "/": { type: "text/html", body: files["/"], headers },
      "/page.js": { type: "text/javascript", body: files["/page.js"] },
      "/page.css": { type: "text/css", body: files["/page.css"] },
      "/favicon.ico": { type: "image/png", body: "" },
    });
    browser = await startChromium();
    page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(server.url);
  });

  after(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });

  test("hosts an extension over the pair in memory", async () => {
    await page.fill("#greet input", "Grace");
    await page.click("#greet button");
    await page.waitForFunction(`document.querySelector("#answer").value === "Hello, Grace"`);
  });

  test("[X-17] shows what is wrong with an input", async () => {
    await page.fill("#greet input", "");
    await page.click("#greet button");
    await page.waitForFunction(`/name/.test(document.querySelector("#answer").value)`);
  });

  test("[M-04] decodes framebuffers to a canvas, one after the other", async () => {
    await page.waitForFunction(`/frame ([2-9]|\\d\\d)/.test(document.querySelector("#status").textContent)`);
    const seen = await page.evaluate<{ size: number[]; corner: number[]; colours: number }>(`(() => {
      const canvas = document.querySelector("#screen");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const words = new Uint32Array(data.buffer);
      return { size: [canvas.width, canvas.height], corner: [...data.slice(0, 4)], colours: new Set(words).size };
    })()`);
    assert.deepEqual(seen.size, [320, 200]);
    assert.equal(seen.corner[3], 255);
    assert.ok(seen.colours >= 8, `${seen.colours} colours`);
  });

  test("works under a policy without eval, without a complaint", async () => {
    // From a timer: the evaluation itself is exempt from the policy.
    const tried = `new Promise((resolve) => setTimeout(() => {
      try { resolve(new Function("return 'made code from text'")()); } catch (error) { resolve(error.name); }
    }))`;
    assert.equal(await page.evaluate(tried), "EvalError");
    assert.deepEqual(
      complaints.filter((complaint) => !/unsafe-eval/.test(complaint)),
      [],
    );
  });
});
