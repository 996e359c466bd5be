/**
 * `npm run compile`: the command line as one executable for this machine, `dist/extwire`, with its runtime inside.
 * `-- --all` makes it for every target too. `dist/SHA256SUMS` lists the checksums of what is there.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildCommandLine, DIST } from "./build.ts";
import { isProgram, ROOT } from "./bundle.ts";

interface Target {
  /** What the file is called in `dist/`. */
  readonly file: string;
  /** What Bun calls that machine. */
  readonly target: string;
  /** The npm package that carries the runtime for that machine, and the program in it. */
  readonly runtime: string;
}

const TARGETS: readonly Target[] = [
  { file: "extwire-linux-x64", target: "bun-linux-x64", runtime: "@oven/bun-linux-x64/bin/bun" },
  { file: "extwire-linux-arm64", target: "bun-linux-arm64", runtime: "@oven/bun-linux-aarch64/bin/bun" },
  { file: "extwire-macos-arm64", target: "bun-darwin-arm64", runtime: "@oven/bun-darwin-aarch64/bin/bun" },
  { file: "extwire-windows-x64.exe", target: "bun-windows-x64", runtime: "@oven/bun-windows-x64/bin/bun.exe" },
];

const BUN = join(ROOT, "node_modules/.bin/bun");
const TARGETS_FOLDER = "tools/targets";

/** The executable reads no configuration from the folder it happens to be started in. */
const FLAGS = [
  "--compile",
  "--format=esm",
  "--bytecode",
  "--minify-whitespace",
  "--minify-syntax",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
];

export function compile(all: boolean): string[] {
  buildCommandLine();
  const made = [makeExecutable({ file: process.platform === "win32" ? "extwire.exe" : "extwire" })];
  if (all) {
    installRuntimes();
    for (const target of TARGETS) made.push(makeExecutable(target));
  }
  writeChecksums();
  return made;
}

function makeExecutable({ file, target, runtime }: Partial<Target> & Pick<Target, "file">): string {
  const args = ["build", ...FLAGS, `--outfile=${join(DIST, file)}`];
  if (runtime)
    args.push(`--target=${target}`, `--compile-executable-path=${join(ROOT, TARGETS_FOLDER, "node_modules", runtime)}`);
  execFileSync(BUN, [...args, join(DIST, "extwire.js")], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  return join(DIST, file);
}

/** By force: most of them are for other machines, and are only copied. The lock file holds their checksums. */
function installRuntimes(): void {
  if (TARGETS.every(({ runtime }) => existsSync(join(ROOT, TARGETS_FOLDER, "node_modules", runtime)))) return;
  execFileSync("npm", ["ci", "--prefix", TARGETS_FOLDER, "--force", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** In the form that `sha256sum --check` reads. */
function writeChecksums(): void {
  const files = readdirSync(DIST).filter((file) => /^extwire(-.*)?$|^extwire\.exe$/.test(file));
  const lines = files.sort().map((file) => {
    const hash = createHash("sha256")
      .update(readFileSync(join(DIST, file)))
      .digest("hex");
    return `${hash}  ${file}\n`;
  });
  writeFileSync(join(DIST, "SHA256SUMS"), lines.join(""));
}

if (isProgram(import.meta.url)) {
  for (const path of compile(process.argv.includes("--all"))) console.error(`dist/${basename(path)}`);
}
