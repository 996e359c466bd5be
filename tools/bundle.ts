/** The one place that says how this project's programs become single files. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const ROOT: string = fileURLToPath(new URL("..", import.meta.url));

/** Whether the module with this `import.meta.url` is the program that was started, and not imported by another. */
export function isProgram(url: string): boolean {
  return url === pathToFileURL(process.argv[1] ?? "").href;
}

/** Packages of CommonJS inside a module: what they `require` at run time can only be a built-in, or something they can do without. */
export const REQUIRE_BANNER = [
  "const require = (name) => {",
  "const found = process.getBuiltinModule(name);",
  'if (found === undefined) throw new Error("there is no module " + name);',
  "return found; };",
].join(" ");

/** For programs that Node, Deno and Bun run alike. */
export const PROGRAM_FLAGS: readonly string[] = [
  "--bundle",
  "--platform=node",
  "--format=esm",
  "--target=node20.19",
  "--main-fields=module,main",
  "--external:cloudflare:*",
  "--log-level=warning",
  "--legal-comments=none",
];

/** Runs esbuild's own binary: quick, and the same from every runtime. Throws with what it printed. */
function esbuild(args: readonly string[]): void {
  execFileSync(join(ROOT, "node_modules/esbuild/bin/esbuild"), [...args], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/**
 * Bundles `entries` (paths from the root) into `folder`, one file each, named after its entry.
 * Files appear whole or not at all, so that programs running side by side may all do this.
 */
export function bundlePrograms(entries: readonly string[], folder: string, flags: readonly string[] = []): void {
  const target = join(ROOT, folder);
  mkdirSync(target, { recursive: true });
  const draft = mkdtempSync(join(target, ".draft-"));
  try {
    esbuild([
      ...entries,
      ...PROGRAM_FLAGS,
      `--banner:js=${REQUIRE_BANNER}`,
      "--entry-names=[name]",
      `--outdir=${draft}`,
      ...flags,
    ]);
    for (const file of readdirSync(draft)) renameSync(join(draft, file), join(target, basename(file)));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
