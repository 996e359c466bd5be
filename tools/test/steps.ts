/** What `npm test` runs, in this order: the quick checks first. */
import { join } from "node:path";
import { ROOT } from "../bundle.ts";
import { buildFixtures } from "../fixtures.ts";
import { describe, measureAll } from "../size.ts";
import { runInChromium } from "./in_chromium.ts";
import { runInWorkerd } from "./in_workerd.ts";
import { bun, deno, laterNode, onlyHere, portable, sameTests, suiteFiles, thisNode } from "./runtimes.ts";
import { check, type Step } from "./step.ts";

const BIN = join(ROOT, "node_modules/.bin");
/** Those that start the command line and nothing else of ours. */
const commandLineSuites = () => suiteFiles().filter((file) => /\/cli_\w+\.test\.ts$/.test(file));
const CHAOS = ["tests/chaos/chaos.ts", "--seconds", "12"];
const THIS_NODE = process.versions.node.split(".")[0];

export const STEPS: readonly Step[] = [
  check(
    "types",
    "types, and types of the portable part alone",
    { command: join(BIN, "tsc"), args: [] },
    { command: join(BIN, "tsc"), args: ["-p", "tsconfig.portable.json"] },
  ),
  check(
    "lint",
    "format and lint, floating promises too",
    { command: join(BIN, "biome"), args: ["check", "--error-on-warnings", "."] },
    { command: join(BIN, "oxlint"), args: ["--type-aware", "--deny-warnings"] },
  ),
  check("clauses", "every clause and every case has a test", {
    command: process.execPath,
    args: ["--import", "tsx", "tools/check_requirements.ts"],
  }),
  check("wasm", "codec.wasm is what its source builds to", {
    command: process.execPath,
    args: ["--import", "tsx", "tools/build_wasm.ts", "--check"],
  }),
  {
    ...check("build", "the package and the one file are built", {
      command: process.execPath,
      args: ["--import", "tsx", "tools/build.ts"],
    }),
    beside: "wasm",
  },
  {
    name: "fixtures",
    what: "the programs that tests start are bundled",
    async run() {
      buildFixtures();
      return { passed: 1, failed: 0, skipped: 0, report: "" };
    },
  },
  onlyHere("tree", "the source tree keeps its rules", "tests/tree"),
  thisNode("node", `suites on this Node ${THIS_NODE}`),
  laterNode(22),
  laterNode(24),
  laterNode(26),
  deno,
  bun,
  portable("workerd", "suites without processes in workerd", runInWorkerd),
  { ...portable("chromium", "suites without processes in Chromium", runInChromium), beside: "workerd" },
  sameTests,
  onlyHere("docs", "what the documents show", "tests/docs"),
  check("compile", "the executable is made", {
    command: process.execPath,
    args: ["--import", "tsx", "tools/compile.ts"],
  }),
  thisNode("binary", "the command line's suites on the executable", commandLineSuites, {
    EXTWIRE_BINARY: join(ROOT, "dist/extwire"),
  }),
  check(
    "chaos",
    "faults leave nothing behind on Node, Deno and Bun",
    { command: process.execPath, args: ["--expose-gc", "--import", "tsx", ...CHAOS] },
    { command: join(BIN, "deno"), args: ["run", "-A", "--v8-flags=--expose-gc", ...CHAOS] },
    { command: join(BIN, "bun"), args: CHAOS },
  ),
  onlyHere("packaging", "the package, the page, the worker, the one file", "tests/packaging"),
  {
    name: "size",
    what: "the library stays light in a page",
    async run() {
      const sizes = await measureAll();
      const heavy = sizes.filter(({ gzipped, limit }) => gzipped > limit);
      return {
        passed: sizes.length - heavy.length,
        failed: heavy.length,
        skipped: 0,
        report: heavy.map(describe).join("\n"),
      };
    },
  },
];
