/** Bundles the programs that tests start, so that a child is one small file on every runtime. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundlePrograms, isProgram, ROOT } from "./bundle.ts";

export const BUILD_FOLDER = "tests/.build";

/** Each `tests/fixtures/NAME.ts` becomes `tests/.build/NAME.js`, and the command line becomes `tests/.build/extwire.js`. */
export function buildFixtures(): number {
  const folder = join(ROOT, "tests/fixtures");
  const entries = readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `tests/fixtures/${file}`);
  entries.push("extwire=cli.ts");
  mkdirSync(join(ROOT, BUILD_FOLDER), { recursive: true });
  writeFileSync(join(ROOT, BUILD_FOLDER, "package.json"), '{"type":"module"}\n');
  bundlePrograms(entries, BUILD_FOLDER);
  return entries.length;
}

if (isProgram(import.meta.url)) {
  console.error(`${buildFixtures()} programs bundled into ${BUILD_FOLDER}`);
}
