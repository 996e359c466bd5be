/** Runs the suites, unchanged, on one runtime after the other. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../bundle.ts";
import { bundleSuites } from "./bundled_suites.ts";
import { readJunit, type TestResult } from "./junit.ts";
import { type Command, LOG_FOLDER, type Outcome, run, type Step, tail } from "./step.ts";

const SUITES = "tests/suites";
const BIN = join(ROOT, "node_modules/.bin");
const EXTRA_NODES = "tests/runtimes";

/** What each runtime that ran has run, by the step's name. */
const ran = new Map<string, readonly TestResult[]>();

/** The same for those that run only what needs no process. */
const portableRan = new Map<string, readonly TestResult[]>();

export function suiteFiles(folder: string = SUITES): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .sort()
    .map((file) => `./${folder}/${file}`);
}

/** For a test, and on Node for a whole file: only one that hangs takes so long, on the busiest machine. */
const LONGEST_TEST_MS = 15 * 60_000;

/** Test files run one in a process, so many processes at a time: three keep two cores busy, as each waits now and then. */
const AT_A_TIME = 3;

const NODE_FLAGS = [
  "--test",
  `--test-concurrency=${AT_A_TIME}`,
  `--test-timeout=${LONGEST_TEST_MS}`,
  "--test-reporter=junit",
];

function nodeCommand(node: string, report: string, files: readonly string[], before: readonly string[]): Command {
  return { command: node, args: [...before, ...NODE_FLAGS, `--test-reporter-destination=${report}`, ...files] };
}

async function suitesCommand(step: string, node: string, report: string, files: string[]): Promise<Command> {
  return nodeCommand(node, report, await bundleSuites(step, files), ["--enable-source-maps"]);
}

/** The suites, or some of them, on the Node that runs this. */
export function thisNode(name: string, what: string, files = suiteFiles, env: Record<string, string> = {}): Step {
  return suites(name, what, async (report) => ({
    ...(await suitesCommand(name, process.execPath, report, files())),
    env,
  }));
}

/** The tests in a folder that only this Node runs. */
export function onlyHere(name: string, what: string, folder: string): Step {
  return suites(name, what, (report) => nodeCommand(process.execPath, report, suiteFiles(folder), ["--import", "tsx"]));
}

export function laterNode(major: number): Step {
  const node = join(ROOT, EXTRA_NODES, `node_modules/node${major}/bin/node`);
  const name = `node${major}`;
  return suites(name, `suites on Node ${major}`, async (report) => {
    // Its own folder, so that nobody who only wants to use the project waits for three more Nodes.
    if (!existsSync(node)) {
      await run("runtimes", { command: "npm", args: ["ci", "--prefix", EXTRA_NODES, "--no-audit", "--no-fund"] });
    }
    return await suitesCommand(name, node, report, suiteFiles());
  });
}

export const deno: Step = suites("deno", "suites on Deno", (report) => ({
  command: join(BIN, "deno"),
  args: [
    "test",
    "--allow-all",
    "--no-check",
    "--config=deno.offline.json",
    "--parallel",
    `--junit-path=${report}`,
    ...suiteFiles(),
  ],
  env: { DENO_JOBS: String(AT_A_TIME) },
}));

export const bun: Step = suites("bun", "suites on Bun", (report) => ({
  command: join(BIN, "bun"),
  args: [
    "test",
    `--parallel=${AT_A_TIME}`,
    `--timeout=${LONGEST_TEST_MS}`,
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...suiteFiles(),
  ],
}));

/** Says when a runtime ran other tests than the first one: a test that is missing somewhere proves nothing there. */
export const sameTests: Step = {
  name: "same",
  what: "every runtime ran the same tests",
  async run() {
    const [first, ...others] = [...ran];
    const reports: string[] = [];
    for (const [name, results] of others) {
      const missing = difference(first![1], results);
      const extra = difference(results, first![1]);
      if (missing.length > 0) reports.push(`${name} did not run:\n  ${missing.join("\n  ")}`);
      if (extra.length > 0) reports.push(`only ${name} ran:\n  ${extra.join("\n  ")}`);
    }
    for (const [name, results] of portableRan) {
      const extra = first ? difference(results, first[1]) : [];
      if (extra.length > 0) reports.push(`only ${name} ran:\n  ${extra.join("\n  ")}`);
    }
    return { passed: reports.length === 0 ? 1 : 0, failed: reports.length, skipped: 0, report: reports.join("\n") };
  },
};

function difference(left: readonly TestResult[], right: readonly TestResult[]): string[] {
  const names = new Set(right.map(({ name }) => name));
  return left.map(({ name }) => name).filter((name) => !names.has(name));
}

/** A runtime without a test runner: `runAll` brings the portable suites to it. */
export function portable(name: string, what: string, runAll: () => Promise<TestResult[]>): Step {
  return {
    name,
    what,
    run: async () => {
      const results = await runAll();
      portableRan.set(name, results);
      return outcome(results, 0, "");
    },
  };
}

function suites(name: string, what: string, make: (report: string) => Command | Promise<Command>): Step {
  return {
    name,
    what,
    async run() {
      const report = join(LOG_FOLDER, `${name}.xml`);
      rmSync(report, { force: true });
      const command = await make(report);
      const { code, output } = await run(name, { ...command, env: { EXTWIRE_FIXTURES: "built", ...command.env } });
      const results = existsSync(report) ? readJunit(readFileSync(report, "utf8")) : [];
      if (what.startsWith("suites on")) ran.set(name, results);
      return outcome(results, code, output);
    },
  };
}

/** A runtime may fail where no test did: a file that throws while it loads, a crash, a timeout. */
function outcome(results: readonly TestResult[], code: number, output: string): Outcome {
  const failed = results.filter(({ state }) => state === "failed");
  const reports = failed.map(({ name, message }) => `✖ ${name}\n${indent(tail(message, 60))}`);
  const silent = code !== 0 && (failed.length === 0 || /Unhandled error between tests|\(uncaught error\)/.test(output));
  if (silent) reports.push(`✖ the run itself exited with ${code}\n${indent(tail(output, 80))}`);
  if (results.length === 0 && !silent) reports.push(`✖ no test ran\n${indent(tail(output, 40))}`);
  return {
    passed: results.filter(({ state }) => state === "passed").length,
    failed: reports.length,
    skipped: results.filter(({ state }) => state === "skipped").length,
    report: reports.join("\n"),
  };
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}
