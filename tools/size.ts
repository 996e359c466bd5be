/** `npm run size`: what the library weighs in a bundle, and fails over the limits. `--json` prints rows. */
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { isProgram, ROOT } from "./bundle.ts";

const KB = 1024;

interface Budget {
  readonly name: string;
  readonly code: string;
  readonly platform: "browser" | "node";
  /** What is not counted. */
  readonly without?: RegExp;
  /** In bytes, minified and gzipped. */
  readonly limit: number;
}

/** Everything that checks a value against a schema hangs on this one file. */
const CHECKS = /\/schema\.ts$/;
/** All of JSON Schema: loaded for the first schema or input that the quick check does not take. */
const VALIDATOR = /\/validator\.ts$/;

/** Bundlers leave out what is not imported, so what counts is the weight of each thing that a page does. */
const PAGE = `export { defineExtension, DharaServer, DharaSession, memoryPair } from "./mod.ts";`;
const CLIENT = `export { MxClient, pipeChannel, scalarCodec, streamPipe } from "./mod.ts";`;
const LEAST_EXTENSION = `import { defineExtension, text } from "./mod.ts";
import { serve } from "./src/adapters/node_serve.ts";
const greet = { name: "greet", description: "", inputSchema: { type: "object" }, execute: () => text("hello") };
serve(defineExtension({ name: "hello", version: "1.0.0", tools: [greet] }));`;
const EVERYTHING = `export * from "./mod.ts";`;

/** The least program there is to write. It has no need of the validator, which is loaded on demand. */
export const EXTENSION: Budget = {
  name: "an extension with the SDK",
  code: LEAST_EXTENSION,
  platform: "node",
  without: VALIDATOR,
  limit: 13.2 * KB,
};

const BUDGETS: readonly Budget[] = [
  { name: "host and extension in a page", code: PAGE, platform: "browser", limit: 32 * KB },
  {
    name: "the same without the schema validator",
    code: PAGE,
    platform: "browser",
    without: CHECKS,
    limit: 12 * KB,
  },
  { name: "MX extension over a stream", code: CLIENT, platform: "browser", limit: 14.5 * KB },
  { name: "every export at once", code: EVERYTHING, platform: "browser", limit: 56 * KB },
  EXTENSION,
];

export interface Size {
  readonly name: string;
  readonly minified: number;
  readonly gzipped: number;
  readonly limit: number;
}

export async function measure({ name, code, platform, without, limit }: Budget): Promise<Size> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform,
    target: "es2022",
    legalComments: "none",
    plugins: without ? [leaveOut(without)] : [],
  });
  const bytes = outputFiles[0]!.contents;
  return { name, minified: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length, limit };
}

export async function measureAll(): Promise<Size[]> {
  return await Promise.all(BUDGETS.map(measure));
}

function leaveOut(filter: RegExp): Plugin {
  return {
    name: "leave-out",
    setup({ onResolve }) {
      onResolve({ filter }, ({ path }) => ({ path, external: true }));
    },
  };
}

export function describe({ name, minified, gzipped, limit }: Size): string {
  const kb = (bytes: number) => `${(bytes / KB).toFixed(1)} KB`;
  const mark = gzipped <= limit ? "✔" : "✖";
  return `${mark} ${name}: ${kb(minified)} minified, ${kb(gzipped)} gzipped, limit ${kb(limit)}`;
}

if (isProgram(import.meta.url)) {
  const sizes = await measureAll();
  for (const size of sizes) console.log(process.argv.includes("--json") ? JSON.stringify(size) : describe(size));
  process.exitCode = sizes.every(({ gzipped, limit }) => gzipped <= limit) ? 0 : 1;
}
