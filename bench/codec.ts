/** The codecs against each other, against packages that do the same, and against the floor. */
import { CONTENDERS } from "./codec/contenders.ts";
import { allWork } from "./codec/work.ts";
import { bundle } from "./harness/build.ts";
import { alternate, type Started, stopAll } from "./harness/contenders.ts";
import { Driver } from "./harness/driver.ts";
import { type Row, rowOf } from "./harness/rows.ts";
import type { Runtime } from "./harness/runtimes.ts";
import type { Suite } from "./suites/suite.ts";

const QUICK = { rounds: 2, ms: 5, warmMs: 40 };
const FULL = { rounds: 7, ms: 150, warmMs: 150 };

export const codec: Suite = async ({ runtime, quick }) => {
  const programs = await bundle(["codec/program"]);
  const started = await startAll(runtime, programs.path("codec/program"));
  try {
    const rows: Row[] = [];
    for (const [index, { name }] of allWork().entries()) {
      const able = await compared(started, index, name);
      rows.push(await measured(able, index, name, runtime, quick ? QUICK : FULL));
    }
    return rows;
  } finally {
    await stopAll(started);
  }
};

async function startAll(runtime: Runtime, program: string): Promise<Started[]> {
  const started: Started[] = [];
  for (const name of Object.keys(CONTENDERS)) {
    started.push({ name, driver: await Driver.start({ runtime, program, setup: { contender: name } }) });
  }
  return started;
}

/** Those that have an answer, which must be the same. */
async function compared(started: readonly Started[], index: number, name: string): Promise<Started[]> {
  const able: Started[] = [];
  let first: string | undefined;
  for (const contender of started) {
    const answer = await contender.driver.run<string | null>("answer", index);
    if (answer === null) continue;
    able.push(contender);
    // The floor for pixels leaves them as they are.
    if (contender.name === "limit" && name.startsWith("pixels")) continue;
    first ??= answer;
    if (answer !== first) throw new Error(`${name}: ${contender.name} gave ${answer}, ${able[0]!.name} ${first}`);
  }
  return able;
}

async function measured(
  able: readonly Started[],
  index: number,
  name: string,
  runtime: Runtime,
  { rounds, ms, warmMs }: typeof FULL,
): Promise<Row> {
  const { speed } = await alternate(able, rounds, async ({ driver }, round) => ({
    speed: await driver.run<number>("measure", { index, ms, warmMs: round === 0 ? warmMs : 0 }),
  }));
  return rowOf({ suite: "codec", case: name, runtime: runtime.name, unit: "MB/s of CPU", better: "higher" }, speed);
}
