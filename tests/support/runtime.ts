/** Starts programs on the runtime that runs the test, whichever that is. */

import { join } from "node:path";
import { ROOT } from "../../tools/bundle.ts";
import { BUILD_FOLDER, buildFixtures } from "../../tools/fixtures.ts";

export type RuntimeName = "node" | "deno" | "bun";

export interface Program {
  readonly command: string;
  readonly args: string[];
}

/** The runtime that runs this file. */
export const RUNTIME: RuntimeName = process.versions["bun"] ? "bun" : process.versions["deno"] ? "deno" : "node";

/** Runs the JavaScript file `path` (absolute) on this runtime. */
export function script(path: string, ...args: string[]): Program {
  const before = RUNTIME === "deno" ? ["run", "--allow-all", "--quiet", "--no-config"] : [];
  return { command: process.execPath, args: [...before, path, ...args] };
}

/** Runs `tests/fixtures/NAME.ts` on this runtime. */
export function fixture(name: string, ...args: string[]): Program {
  return script(fixtureFile(name), ...args);
}

/** The bundled file of `tests/fixtures/NAME.ts`, for manifests and other runtimes. */
function fixtureFile(name: string): string {
  buildOnce();
  return join(ROOT, BUILD_FOLDER, `${name}.js`);
}

/** Runs the command line: the executable that EXTWIRE_BINARY names, else the bundled one on this runtime. */
export function extwire(...args: string[]): Program {
  const binary = process.env["EXTWIRE_BINARY"];
  return binary ? { command: binary, args } : fixture("extwire", ...args);
}

let built = false;

/** `npm test` bundles once for all of its runs and says so; a suite started alone bundles for itself (a tenth of a second). */
function buildOnce(): void {
  if (built || process.env["EXTWIRE_FIXTURES"] === "built") return;
  buildFixtures();
  built = true;
}
