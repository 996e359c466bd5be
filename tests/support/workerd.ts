/** A worker in workerd, by miniflare, without Node compatibility. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { ROOT } from "../../tools/bundle.ts";
import { COMPATIBILITY_DATE } from "../../tools/test/in_workerd.ts";

/** Starts `code`, the text of a module, with `codec.wasm` beside it. */
export function startWorker(
  code: string,
  bindings: Readonly<Record<string, string>> = {},
  compatibilityDate = COMPATIBILITY_DATE,
): Miniflare {
  const codec = join(ROOT, "codec/codec.wasm");
  return new Miniflare({
    compatibilityDate,
    bindings,
    modules: [
      { type: "ESModule", path: "worker.js", contents: code },
      ...(existsSync(codec)
        ? [{ type: "CompiledWasm" as const, path: "codec.wasm", contents: readFileSync(codec) }]
        : []),
    ],
  });
}
