/** Rounds of tool calls, for `stdio` and `tcp`. */
import { sampleTexts } from "../harness/calls.ts";
import {
  alternate,
  append,
  type Contender,
  compareAnswers,
  programsOf,
  type Started,
  startAll,
  stopAll,
} from "../harness/contenders.ts";
import { type Rounds, type Row, rowOf } from "../harness/rows.ts";
import type { SuiteOptions } from "./suite.ts";

/** Peers go on getting faster for about 10,000 calls, and optimizing compilers for a second or two. */
const warmUpCalls = 10_000;
const warmUpCpuUs = 2_000_000;

type Measured = Record<"time" | "rate" | "cpu", Rounds>;

export async function callRows(
  suite: string,
  contenders: readonly Contender[],
  depths: readonly number[],
  options: SuiteOptions,
): Promise<Row[]> {
  const { runtime, quick } = options;
  // Two processes of the same bundle can differ by several percent for as long as they live, by where things
  // happened to be put in memory. So the processes are started anew several times.
  const generations = quick ? 1 : 3;
  const rounds = 7;
  const batchMs = quick ? 120 : 200;
  const programs = await programsOf(contenders);
  const measured = new Map<number, Measured>();
  for (let generation = 0; generation < generations; generation++) {
    const started = await startAll(contenders, programs, runtime);
    try {
      await compareAnswers(started, sampleTexts);
      for (const { driver } of started) {
        do await driver.run("flood", { count: warmUpCalls, inFlight: 64 });
        while (driver.cpuUs() < warmUpCpuUs);
      }
      for (const inFlight of depths) {
        const counts = new Map<Started, number>();
        for (const contender of started) counts.set(contender, await warmUp(contender, inFlight, batchMs));
        const more = await alternate(started, rounds, (contender) =>
          measure(contender, inFlight, counts.get(contender) as number),
        );
        measured.set(inFlight, append(measured.get(inFlight), more));
      }
    } finally {
      await stopAll(started);
    }
  }
  return [...measured].flatMap(([inFlight, { time, rate, cpu }]) => {
    const head = { suite, runtime: runtime.name };
    return [
      inFlight === 1
        ? rowOf({ ...head, case: "1 in flight", unit: "median µs", better: "lower" }, time)
        : rowOf({ ...head, case: `${inFlight} in flight`, unit: "calls/s", better: "higher" }, rate),
      rowOf({ ...head, case: `${inFlight} in flight, CPU`, unit: "µs/call", better: "lower" }, cpu),
    ];
  });
}

/** Gives the number of calls that fill a batch. */
async function warmUp({ driver }: Started, inFlight: number, batchMs: number): Promise<number> {
  await driver.run("flood", { count: warmUpCalls, inFlight });
  const begin = driver.cpuUs();
  const probe = 2_000;
  if (inFlight === 1) await driver.run("latency", { count: probe });
  else await driver.run("flood", { count: probe, inFlight });
  const usPerCall = (driver.cpuUs() - begin) / probe;
  return Math.max(inFlight * 2, Math.ceil((batchMs * 1000) / usPerCall));
}

async function measure({ driver }: Started, inFlight: number, count: number): Promise<Record<keyof Measured, number>> {
  const begin = driver.cpuUs();
  const time =
    inFlight === 1
      ? await driver.run<number>("latency", { count })
      : await driver.run<number>("flood", { count, inFlight });
  const cpu = (driver.cpuUs() - begin) / count;
  return { time, rate: (count * 1000) / time, cpu };
}
