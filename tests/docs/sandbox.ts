/** A folder in which a reader of one document may try what it shows, with `extwire` on the PATH. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { ROOT } from "../../tools/bundle.ts";
import { BUILD_FOLDER } from "../../tools/fixtures.ts";
import { extwire } from "../support/runtime.ts";
import { ENTRIES } from "./programs.ts";

export interface Sandbox {
  readonly folder: string;
  readonly env: Record<string, string | undefined>;
}

export function makeSandbox(name: string): Sandbox {
  const base = join(ROOT, "tests/.build/docs/sandboxes", name);
  const folder = join(base, "here");
  const bin = join(base, "bin");
  rmSync(base, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  mkdirSync(bin, { recursive: true });

  const { command, args } = extwire();
  writeFileSync(join(bin, "extwire"), `#!/bin/sh\nexec ${[command, ...args].map(quoted).join(" ")} "$@"\n`);
  chmodSync(join(bin, "extwire"), 0o755);
  const bundle = join(ROOT, BUILD_FOLDER, "extwire.js");
  if (existsSync(bundle)) copyFileSync(bundle, join(folder, "extwire.js"));
  symlinkSync(join(ROOT, "examples"), join(folder, "examples"));
  linkPackage(join(folder, "node_modules/extwire"));

  const path = [bin, join(ROOT, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const env: Record<string, string | undefined> = {
    ...process.env,
    PATH: path,
    NO_COLOR: "1",
    PYTHONDONTWRITEBYTECODE: "1",
  };
  // Node tells a test's children that they are tests.
  delete env["NODE_TEST_CONTEXT"];
  return { folder, env };
}

/** The package as an importer finds it, with the sources in the place of what the build makes of them. */
function linkPackage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const part of ["mod.ts", "src", "codec"]) symlinkSync(join(ROOT, part), join(folder, part));
  const exports = Object.fromEntries(
    Object.entries(ENTRIES).map(([name, file]) => [name.replace("extwire", "."), `./${file}`]),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "extwire", type: "module", exports }));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
