/** Runs the portable suites in a page of headless Chromium, under a policy that forbids eval. */

import { PATIENCE_MS, startChromium } from "./chromium.ts";
import type { TestResult } from "./junit.ts";
import { bundlePortable } from "./portable.ts";
import { serveStatic } from "./web_server.ts";

const PAGE = `<!doctype html><meta charset="utf-8"><title>suites</title>
  <script type="module">import { run } from "/suites.js"; globalThis.run = run; globalThis.ready = true;</script>`;

/** WebAssembly may be compiled, code from text may not. The script in the page is allowed for the page's sake. */
const POLICY = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'";

export async function runInChromium(): Promise<TestResult[]> {
  const { suites, code } = await bundlePortable("browser");
  await using server = await serveStatic({
    "/": { type: "text/html", body: PAGE, headers: { "content-security-policy": POLICY } },
    "/suites.js": { type: "text/javascript", body: code },
  });
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(server.url);
    await page.waitForFunction("globalThis.ready === true");
    const results: TestResult[] = [];
    for (const suite of suites) {
      results.push(...(await page.evaluate<TestResult[]>(`globalThis.run(${JSON.stringify(suite)})`)));
    }
    return results;
  } finally {
    await browser.close();
  }
}
