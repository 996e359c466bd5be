/**
 * `npm run build`: makes `dist/`. The package's modules: one for each that can be imported, what they share in `shared/`,
 * and their types in the shape of the source. And the command line as the one file `dist/extwire.js`, with everything
 * inside, for Node, Deno and Bun. `-- --cli` makes only that file, in a moment.
 */
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build as esbuild, type Plugin } from "esbuild";
import ts from "typescript";
import { bundlePrograms, isProgram, ROOT } from "./bundle.ts";

export const DIST: string = join(ROOT, "dist");

/** What package.json exports. */
const ENTRIES: string[] = [
  "mod.ts",
  "mod_workerd.ts",
  "src/adapters/node.ts",
  "src/adapters/workerd.ts",
  "src/host/manifest_file.ts",
];

/** A module imports it, but neither the compiler nor the bundler carries it over. */
const WASM = "codec/codec.wasm";

/** What `npm run compile` has put there. */
const COMPILED = /^(extwire(-.*|\.exe)?|SHA256SUMS)$/;

export async function build(onlyCommandLine = false): Promise<void> {
  mkdirSync(DIST, { recursive: true });
  if (onlyCommandLine) return buildCommandLine();
  for (const entry of readdirSync(DIST)) {
    if (!COMPILED.test(entry)) rmSync(join(DIST, entry), { recursive: true });
  }
  const types = compileTypes();
  await bundleModules();
  buildCommandLine();
  await types;
  copyFileSync(join(ROOT, WASM), join(DIST, WASM));
  rewriteModules();
  rewriteDeclarations();
}

/** Small, but with its names: a stack trace of a bug report should say something. */
export function buildCommandLine(): void {
  bundlePrograms(["extwire=cli.ts"], "dist", ["--minify-whitespace", "--minify-syntax"]);
  const path = join(DIST, "extwire.js");
  const text = readFileSync(path, "utf8");
  if (!text.startsWith("#!")) writeFileSync(path, `#!/usr/bin/env node\n${text}`);
  chmodSync(path, 0o755);
}

/**
 * Few files: a runtime takes half a millisecond to find and load one, and the source has a hundred. Constants of modules
 * become numbers: the bundler would make variables of them, which runtimes load each time.
 */
async function bundleModules(): Promise<void> {
  await esbuild({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    bundle: true,
    splitting: true,
    minifySyntax: true,
    format: "esm",
    target: "es2022",
    packages: "external",
    external: ["node:*", "cloudflare:*", "*.wasm"],
    logLevel: "warning",
    logOverride: { "ignored-bare-import": "silent" },
    outbase: ".",
    outdir: "dist",
    chunkNames: "shared/[name]-[hash]",
    plugins: [besideTheLibrary],
  });
}

/**
 * Whoever imports one of the modules imports `mod.ts` too. As each names it, all that they share with it goes into one file,
 * where esbuild would make one for each set of modules that share something.
 */
const besideTheLibrary: Plugin = {
  name: "beside-the-library",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!ENTRIES.includes(relative(ROOT, path))) return undefined;
      const contents = `import ${JSON.stringify(join(ROOT, "mod.ts"))};\n${readFileSync(path, "utf8")}`;
      return { contents, loader: "ts" };
    });
  },
};

function compileTypes(): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the compiler exited with ${code}: its messages stand above`));
    });
  });
}

/**
 * The WebAssembly is imported from where it lies, in whichever file the bundler has put that import. And no module is
 * imported for its effects, for none has any: a bundler that reads so in package.json warns of each such import.
 */
function rewriteModules(): void {
  for (const file of readdirSync(DIST, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".js") || file === "extwire.js") continue;
    const path = join(DIST, file);
    const wasm = relative(dirname(path), join(DIST, WASM)).replaceAll("\\", "/");
    const text = readFileSync(path, "utf8")
      .replace('from "./codec.wasm"', `from "${wasm.startsWith(".") ? wasm : `./${wasm}`}"`)
      .replace(/^import "\.{1,2}\/[^"]+\.js";\n/gm, "");
    writeFileSync(path, text);
  }
}

/** The compiler leaves `.ts` in the imports of declarations, which only it would understand. */
function rewriteDeclarations(): void {
  for (const file of readdirSync(DIST, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".d.ts")) continue;
    const path = join(DIST, file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, withJsImports(text));
  }
}

/** Every relative import of a `.ts` file becomes one of the `.js` file beside it. */
function withJsImports(text: string): string {
  let result = text;
  const imports = ts.preProcessFile(text, true, true).importedFiles;
  for (const { fileName, pos } of imports.toSorted((a, b) => b.pos - a.pos)) {
    if (!/^\.{1,2}\/.*(?<!\.d)\.ts$/.test(fileName)) continue;
    // `pos` is that of the quote before the name.
    const end = pos + 1 + fileName.length;
    result = `${result.slice(0, end - 3)}.js${result.slice(end)}`;
  }
  return result;
}

if (isProgram(import.meta.url)) {
  await build(process.argv.includes("--cli"));
}
