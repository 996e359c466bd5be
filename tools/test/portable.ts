/** Bundles the suites that need no process, file or socket for workerd and browsers, which have no test runner. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { ROOT } from "../bundle.ts";
import { suiteFiles } from "./runtimes.ts";

const SHIMS = join(ROOT, "tests/runtimes/shims");
const VECTORS = "tests/vectors";

/** What stands in for a built-in there. Any other built-in makes a suite one that is not portable. */
const STAND_INS: Readonly<Record<string, string>> = {
  "node:test": join(SHIMS, "node_test.ts"),
  "node:assert": join(SHIMS, "node_assert.ts"),
  "node:assert/strict": join(SHIMS, "node_assert.ts"),
  "node:fs": join(SHIMS, "node_fs.ts"),
};

export interface Portable {
  /** The suites in the bundle, by file name. */
  readonly suites: readonly string[];
  /** A module that exports `run(suite)`, see `tests/runtimes/shims/node_test.ts`. */
  readonly code: string;
}

/** One module with all portable suites, each loaded only when it is run: nothing may happen at import time there. */
export async function bundlePortable(target: "workerd" | "browser"): Promise<Portable> {
  const files = (await Promise.all(suiteFiles().map(async (file) => ((await isPortable(file)) ? file : "")))).filter(
    Boolean,
  );
  const loaders = files.map((file) => `${JSON.stringify(basename(file))}: () => import(${JSON.stringify(file)})`);
  const entry = `
    import { runSuite } from "node:test";
    const suites = { ${loaders.join(",\n")} };
    export const run = (name) => runSuite(suites[name]);`;
  const result = await build({
    ...settings(target, []),
    stdin: { contents: entry, resolveDir: ROOT, loader: "ts" },
    logLevel: "warning",
  });
  return { suites: files.map((file) => basename(file)), code: result.outputFiles[0]!.text };
}

/** Whether everything that a suite imports is there without a runtime's built-ins. */
async function isPortable(file: string): Promise<boolean> {
  const missing: string[] = [];
  try {
    await build({ ...settings("browser", missing), entryPoints: [join(ROOT, file)], logLevel: "silent" });
  } catch (error) {
    // A name that a stand-in does not have. What is really wrong with a suite shows on Node.
    if (!(error instanceof Error) || !("errors" in error)) throw error;
    return false;
  }
  return missing.length === 0;
}

function settings(target: "workerd" | "browser", missing: string[]) {
  return {
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: target === "workerd" ? ["workerd", "worker"] : ["browser"],
    define: { "import.meta.url": JSON.stringify("file:///tests/suites/suite.test.ts"), ...VECTOR_FILES },
    external: ["*.wasm"],
    plugins: [standIns(target, missing)],
  } as const satisfies Parameters<typeof build>[0];
}

/** The vectors, which suites read as files, travel inside the bundle. */
const VECTOR_FILES: Record<string, string> = {
  VECTOR_FILES: JSON.stringify(
    Object.fromEntries(
      readdirSync(join(ROOT, VECTORS))
        .filter((file) => file.endsWith(".json"))
        .map((file) => [file, readFileSync(join(ROOT, VECTORS, file), "utf8")]),
    ),
  ),
};

function standIns(target: "workerd" | "browser", missing: string[]): Plugin {
  return {
    name: "stand-ins",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:|^cloudflare:/ }, ({ path, importer }) => {
        const standIn = STAND_INS[path];
        if (standIn) return { path: standIn };
        missing.push(`${relative(ROOT, importer)} imports ${path}`);
        return { path, namespace: "missing" };
      });
      onLoad({ filter: /.*/, namespace: "missing" }, () => ({ contents: "export default undefined;" }));
      // There the module comes from the runtime, compiled: it may not be compiled from bytes.
      if (target !== "workerd") return;
      onResolve({ filter: /\/codec\/load\.ts$/ }, () => ({ path: "load.ts", namespace: "workerd" }));
      onLoad({ filter: /.*/, namespace: "workerd" }, () => ({
        contents: `import module from "./codec.wasm";
          export { loadCodec } from "./load_workerd.ts";
          export const compileInlined = () => module;`,
        resolveDir: join(ROOT, "codec"),
      }));
    },
  };
}
