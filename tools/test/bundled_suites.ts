/** Bundles suites for Node: to translate them anew in each of their processes costs more than many of them do. */
import { readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { ROOT } from "../bundle.ts";
import { BUILD_FOLDER } from "../fixtures.ts";

/**
 * Each `NAME.test.ts` becomes `NAME.test.js`; what several of them share is still one module in each process. Every
 * `step` has a folder of its own: several may run at a time.
 */
export async function bundleSuites(step: string, files: readonly string[]): Promise<string[]> {
  const folder = `${BUILD_FOLDER}/suites/${step}`;
  rmSync(join(ROOT, folder), { recursive: true, force: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...files],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    sourcemap: true,
    plugins: [ownPlace],
    logLevel: "warning",
  });
  return files.map((file) => `./${folder}/${basename(file, ".ts")}.js`);
}

/** `import.meta.url` stays that of the source: files are looked for beside it. */
const ownPlace: Plugin = {
  name: "own-place",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
      loader: "ts",
    }));
  },
};
