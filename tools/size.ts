/** `npm run size`: what the library weighs in a browser's bundle, and fails over the limits. `--json` prints rows. */
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { ROOT } from "./bundle.ts";

const KB = 1024;

interface Budget {
  readonly name: string;
  readonly code: string;
  readonly withValidator: boolean;
  /** In bytes, minified and gzipped. */
  readonly limit: number;
}

/** Bundlers leave out what is not imported, so what counts is the weight of each thing that a page does. */
const PAGE = `export { defineExtension, DharaServer, DharaSession, memoryPair } from "./mod.ts";`;
const CLIENT = `export { MxClient, pipeChannel, scalarCodec, streamPipe } from "./mod.ts";`;
const EVERYTHING = `export * from "./mod.ts";`;

const BUDGETS: readonly Budget[] = [
  { name: "host and extension in a page", code: PAGE, withValidator: true, limit: 32 * KB },
  { name: "the same without the schema validator", code: PAGE, withValidator: false, limit: 12 * KB },
  { name: "MX extension over a stream", code: CLIENT, withValidator: true, limit: 14 * KB },
  { name: "every export at once", code: EVERYTHING, withValidator: true, limit: 64 * KB },
];

export interface Size {
  readonly name: string;
  readonly minified: number;
  readonly gzipped: number;
  readonly limit: number;
}

export async function measure(): Promise<Size[]> {
  return await Promise.all(
    BUDGETS.map(async ({ name, code, withValidator, limit }) => {
      const { outputFiles } = await build({
        stdin: { contents: code, resolveDir: ROOT, loader: "ts" },
        bundle: true,
        write: false,
        minify: true,
        format: "esm",
        platform: "browser",
        target: "es2022",
        legalComments: "none",
        plugins: withValidator ? [] : [leaveOutValidator],
      });
      const bytes = outputFiles[0]!.contents;
      return { name, minified: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length, limit };
    }),
  );
}

/** Everything that checks a value against a schema hangs on this one file. */
const leaveOutValidator: Plugin = {
  name: "leave-out-validator",
  setup({ onResolve }) {
    onResolve({ filter: /\/schema\.ts$/ }, ({ path }) => ({ path, external: true }));
  },
};

export function describe({ name, minified, gzipped, limit }: Size): string {
  const kb = (bytes: number) => `${(bytes / KB).toFixed(1)} KB`;
  const mark = gzipped <= limit ? "✔" : "✖";
  return `${mark} ${name}: ${kb(minified)} minified, ${kb(gzipped)} gzipped, limit ${kb(limit)}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const sizes = await measure();
  for (const size of sizes) console.log(process.argv.includes("--json") ? JSON.stringify(size) : describe(size));
  process.exitCode = sizes.every(({ gzipped, limit }) => gzipped <= limit) ? 0 : 1;
}
