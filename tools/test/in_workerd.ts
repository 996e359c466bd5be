/** Runs the portable suites in workerd, without any of its Node compatibility. */
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { ROOT } from "../bundle.ts";
import type { TestResult } from "./junit.ts";
import { bundlePortable } from "./portable.ts";

/** The newest date that this workerd knows. */
export const COMPATIBILITY_DATE = "2026-03-17";

const WORKER = `
  export default {
    async fetch(request) {
      const { run } = await import("./suites.js");
      return Response.json(await run(new URL(request.url).pathname.slice(1)));
    }
  };`;

export async function runInWorkerd(): Promise<TestResult[]> {
  const { suites, code } = await bundlePortable("workerd");
  const workerd = new Miniflare({
    compatibilityDate: COMPATIBILITY_DATE,
    modules: [
      { type: "ESModule", path: "worker.js", contents: WORKER },
      { type: "ESModule", path: "suites.js", contents: code },
      { type: "CompiledWasm", path: "codec.wasm", contents: readFileSync(join(ROOT, "codec/codec.wasm")) },
    ],
  });
  try {
    const results: TestResult[] = [];
    const url = await workerd.ready;
    for (const suite of suites) {
      const { status, text } = await got(new URL(suite, url));
      if (status === 200) results.push(...(JSON.parse(text) as TestResult[]));
      else results.push({ name: suite, state: "failed", message: text });
    }
    return results;
  } finally {
    await workerd.dispose();
  }
}

/** Waits as long as a suite takes: `fetch` gives up an answer that has not begun after five minutes. */
function got(url: URL): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    // A connection of its own each: workerd may close one that it has answered on just as the next question comes.
    get(url, { agent: false }, (response) => {
      const read = async () => {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) text += chunk;
        return { status: response.statusCode, text };
      };
      read().then(resolve, reject);
    }).on("error", reject);
  });
}
