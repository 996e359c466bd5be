/** Bundles measured programs, so that no TypeScript loader takes part in what is measured. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

/** CommonJS packages among the peers call require for node's own modules. */
const banner = 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);';

const folders: string[] = [];

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

export interface Programs {
  /** The bundle of a program, named by its path below bench/ without `.ts`. */
  path(name: string): string;
}

export async function bundle(names: readonly string[]): Promise<Programs> {
  const bench = resolve(import.meta.dirname, "..");
  const builds = join(bench, "../tests/.build");
  mkdirSync(builds, { recursive: true });
  const folder = mkdtempSync(join(builds, "bench-"));
  if (folders.push(folder) === 1) process.once("exit", removeFolders);
  // Each alone, for programs that share files also share the time it takes to find them.
  const buildOne = (name: string): Promise<unknown> =>
    build({
      entryPoints: { [name]: join(bench, `${name}.ts`) },
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      // What is imported on demand is loaded on demand.
      splitting: true,
      // As the package is built.
      minifySyntax: true,
      // In a bundle its namespaces take a helper of esbuild's, which would be a file more that every program loads first.
      external: ["typebox"],
      format: "esm",
      platform: "node",
      target: "node20",
      banner: { js: banner },
      logLevel: "error",
    });
  await Promise.all(names.map(buildOne));
  return { path: (name) => join(folder, `${name}.mjs`) };
}
