/** What happens when the library is imported: nothing. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { ROOT } from "../../tools/bundle.ts";
import { startWorker } from "../support/workerd.ts";

const execute = promisify(execFile);

/** Evaluated before the library: notes each call of what must not be called while a module is loaded. */
const WATCH = `
  const seen = (globalThis.seen = []);
  const watch = (owner, name) => {
    const original = owner?.[name];
    if (typeof original !== "function") return;
    owner[name] = new Proxy(original, {
      apply: (target, self, args) => (seen.push(name), Reflect.apply(target, self, args)),
      construct: (target, args, as) => (seen.push("new " + name), Reflect.construct(target, args, as)),
    });
  };
  for (const name of ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "fetch", "MessageChannel"]) watch(globalThis, name);
  for (const name of ["now", "random"]) { watch(Date, name); watch(Math, name); }
  for (const name of ["Module", "Instance", "compile", "instantiate"]) watch(WebAssembly, name);
  watch(performance, "now");
  watch(Object.getPrototypeOf(crypto), "getRandomValues");
  watch(Object.getPrototypeOf(crypto), "randomUUID");
`;

test("the watch sees what it is for", async () => {
  const code = `${WATCH} crypto.getRandomValues(new Uint8Array(1)); clearTimeout(setTimeout(() => {}, 1)); Date.now();
    try { new WebAssembly.Module(new Uint8Array()); } catch {} console.log(JSON.stringify(seen));`;
  const { stdout } = await execute(process.execPath, ["--input-type=module", "--eval", code]);
  assert.deepEqual(JSON.parse(stdout), ["getRandomValues", "setTimeout", "now", "new Module"]);
});

test("[F4] [F7] importing the library in workerd does nothing, and a worker that does no more answers", async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import "watch"; import * as library from "./mod_workerd.ts"; import * as adapter from "./src/adapters/workerd.ts";
        const atImport = [...globalThis.seen];
        export default { fetch: () => Response.json({ atImport, names: Object.keys({ ...library, ...adapter }).length }) };`,
      resolveDir: ROOT,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["cloudflare:*", "*.wasm"],
    plugins: [
      {
        name: "watch",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^watch$/ }, () => ({ path: "watch", namespace: "watch" }));
          onLoad({ filter: /.*/, namespace: "watch" }, () => ({ contents: WATCH }));
        },
      },
    ],
  });
  const worker = startWorker(outputFiles[0]!.text);
  try {
    const response = await worker.dispatchFetch("http://localhost/");
    const { atImport, names } = (await response.json()) as { atImport: string[]; names: number };
    assert.deepEqual(atImport, []);
    assert.ok(names > 10);
  } finally {
    await worker.dispose();
  }
});

test("[F7] importing the built library on Node does nothing and reads nothing of the environment", async () => {
  const folder = mkdtempSync(join(tmpdir(), "extwire-import-"));
  try {
    const entries = ["mod.js", "src/adapters/node.js"].map((file) => pathToFileURL(join(ROOT, "dist", file)).href);
    const main = `${WATCH}
      // Node itself reads variables while it loads; only what our files do counts.
      process.env = new Proxy(process.env, { get(target, name) {
        if (/dist\\/(?!extwire)/.test(new Error().stack.split("\\n")[2] ?? "")) seen.push("env " + String(name));
        return target[name];
      } });
      const before = process.getActiveResourcesInfo().length;
      ${entries.map((entry) => `await import(${JSON.stringify(entry)});`).join("\n")}
      const own = [...seen];
      console.log(JSON.stringify({ own, left: process.getActiveResourcesInfo().length - before }));`;
    writeFileSync(join(folder, "main.mjs"), main);
    const { stdout } = await execute(process.execPath, [join(folder, "main.mjs")]);
    const { own, left } = JSON.parse(stdout) as { own: string[]; left: number };
    assert.deepEqual(own, []);
    assert.equal(left, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
