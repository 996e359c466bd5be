/**
 * `npm test`: everything that must hold, one line a step. `npm test -- NAME…` runs only the steps named.
 * Ends with `N passed, N failed, N skipped` and exits with 1 when anything failed.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killRunning, type Outcome, type Step } from "./test/step.ts";
import { STEPS } from "./test/steps.ts";

process.once("SIGINT", () => {
  killRunning();
  process.exit(130);
});

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`no step ${unknown.join(", ")}; there are: ${STEPS.map(({ name }) => name).join(" ")}`);
  process.exit(2);
}
// Pictures and tables that extensions make are meant to stay; those of tests go with this folder.
const folder = mkdtempSync(join(tmpdir(), "extwire-tests-"));
process.env["TMPDIR"] = folder;
process.once("exit", () => {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    // A run that was interrupted may leave programs that write a moment longer: that is no result of a test.
    console.error(`${folder} was not removed: ${(error as Error).message}`);
  }
});
process.exitCode = (await runAll(STEPS.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))) ? 0 : 1;

async function runAll(steps: readonly Step[]): Promise<boolean> {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const together of groups(steps)) {
    for (const going of together.map(settle)) {
      const { outcome, text } = await going;
      total.passed += outcome.passed;
      total.failed += outcome.failed;
      total.skipped += outcome.skipped;
      if (outcome.failed > 0) console.log(outcome.report);
      console.log(text);
    }
  }
  console.log(counts(total));
  return total.failed === 0 && total.passed > 0;
}

/** In their order, with those together that run side by side. */
function groups(steps: readonly Step[]): Step[][] {
  const all: Step[][] = [];
  for (const step of steps) {
    const last = all.at(-1);
    if (last && step.beside !== undefined && last.at(-1)?.name === step.beside) last.push(step);
    else all.push([step]);
  }
  return all;
}

async function settle(step: Step): Promise<{ readonly outcome: Outcome; readonly text: string }> {
  const started = performance.now();
  const outcome = await step
    .run()
    .catch((error) => ({ passed: 0, failed: 1, skipped: 0, report: String((error as Error).stack ?? error) }));
  return { outcome, text: line(step, outcome, performance.now() - started) };
}

function line(step: Step, outcome: Outcome, ms: number): string {
  const mark = outcome.failed === 0 ? "✔" : "✖";
  return `${mark} ${step.name.padEnd(12)} ${step.what.padEnd(48)} ${counts(outcome)} (${(ms / 1000).toFixed(1)} s)`;
}

function counts({ passed, failed, skipped }: Pick<Outcome, "passed" | "failed" | "skipped">): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
