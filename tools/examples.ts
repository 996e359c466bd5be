/** Bundles the two examples that run elsewhere than in a process: the worker and the page. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "./bundle.ts";

/** One module for workerd, which brings `cloudflare:*` itself and takes WebAssembly as modules beside it. */
export async function bundleWorker(entry = "examples/worker/worker.ts"): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, entry)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker"],
    // Longest first: an alias is for what is below a name too.
    alias: { "extwire/workerd": join(ROOT, "src/adapters/workerd.ts"), extwire: join(ROOT, "mod_workerd.ts") },
    external: ["cloudflare:*", "*.wasm"],
  });
  return outputFiles[0]!.text;
}

/** The files of the page by their path on a server. */
export async function bundlePage(): Promise<Record<"/" | "/page.js" | "/page.css", string>> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "examples/browser/page.ts")],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
  });
  const read = (file: string) => readFileSync(join(ROOT, "examples/browser", file), "utf8");
  return { "/": read("index.html"), "/page.js": outputFiles[0]!.text, "/page.css": read("page.css") };
}
