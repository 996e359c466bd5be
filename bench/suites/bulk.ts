/** Attachments there and back: rate, CPU, what the receiver needs to hold them, and whether cost grows with size. */
import {
  alternate,
  append,
  type Contender,
  programsOf,
  type Started,
  startAll,
  stopAll,
} from "../harness/contenders.ts";
import { forgetPeak, peakBytes, residentBytes } from "../harness/process_cost.ts";
import { median, type Rounds, type Row, type RowHead, rowOf } from "../harness/rows.ts";
import type { Runtime } from "../harness/runtimes.ts";
import type { Suite, SuiteOptions } from "./suite.ts";

interface Size {
  readonly name: string;
  readonly bytes: number;
}

/** The larger one is a picture of 3840 by 2160. */
const sizes: readonly Size[] = [
  { name: "8 MiB", bytes: 8 * 1024 * 1024 },
  { name: "33.2 MB", bytes: 3840 * 2160 * 4 },
];

function contendersOn({ kind }: Runtime): Contender[] {
  const raw = ["data", "onread 64", "onread 256", ...(kind === "node" ? [] : [kind])];
  return [
    { name: "ours", caller: "ours/bulk_host", answerer: "ours/bulk_child" },
    ...raw.map((name) => ({
      name: `raw ${name}`,
      caller: "limit/raw_host",
      answerer: "limit/raw_child",
      args: [name],
    })),
    { name: "vscode-jsonrpc", caller: "peers/vscode_bulk_host", answerer: "peers/vscode_bulk_child" },
  ];
}

type Measured = Record<"rate" | "cpu", Rounds>;

export const bulk: Suite = async (options) => {
  const contenders = contendersOn(options.runtime);
  const measured = await measureCosts(contenders, options);
  const rows: Row[] = [];
  const row = (head: Omit<RowHead, "suite" | "runtime">, rounds: Rounds): void => {
    rows.push(rowOf({ suite: "bulk", runtime: options.runtime.name, ...head }, bestRawAsLimit(rounds, head.better)));
  };
  for (const { name } of sizes) {
    const { rate, cpu } = measured.get(name) as Measured;
    row({ case: name, unit: "MB/s", better: "higher" }, rate);
    row({ case: `${name}, CPU`, unit: "µs/MB", better: "lower" }, cpu);
  }
  const [small, large] = sizes.map(({ name }) => (measured.get(name) as Measured).cpu) as [Rounds, Rounds];
  row({ case: "CPU per MB of 33.2 MB to that of 8 MiB", unit: "ratio", better: "lower" }, quotients(large, small));
  for (const size of sizes) {
    const memory = await measureMemory(contenders, size, options);
    row({ case: `${size.name}, memory of the receiver over its base`, unit: "attachments", better: "lower" }, memory);
  }
  return rows;
};

async function measureCosts(
  contenders: readonly Contender[],
  { runtime, quick }: SuiteOptions,
): Promise<Map<string, Measured>> {
  const programs = await programsOf(contenders);
  const measured = new Map<string, Measured>();
  for (let generation = 0; generation < (quick ? 1 : 3); generation++) {
    const started = await startAll(contenders, programs, runtime);
    try {
      for (const { name, bytes } of sizes) {
        for (const { driver } of started) {
          await driver.run("compare", { bytes });
          await driver.run("exchange", { bytes, count: quick ? 2 : 4 });
        }
        const more = await alternate(started, quick ? 3 : 7, (contender) => measure(contender, bytes, quick));
        measured.set(name, append(measured.get(name), more));
      }
    } finally {
      await stopAll(started);
    }
  }
  return measured;
}

async function measure(
  { name, driver }: Started,
  bytes: number,
  quick: boolean,
): Promise<Record<"rate" | "cpu", number>> {
  const roundMb = (name === "vscode-jsonrpc" ? 40 : 200) / (quick ? 2 : 1);
  const count = Math.max(1, Math.round((roundMb * 1e6) / bytes));
  const megabytes = (2 * bytes * count) / 1e6;
  const begin = driver.cpuUs();
  const ms = await driver.run<number>("exchange", { bytes, count });
  return { rate: (megabytes * 1000) / ms, cpu: (driver.cpuUs() - begin) / megabytes };
}

/** In attachments: how far the peak of the answering process lies over what it holds before the first large one. */
async function measureMemory(
  contenders: readonly Contender[],
  { bytes }: Size,
  { runtime, quick }: SuiteOptions,
): Promise<Rounds> {
  const programs = await programsOf(contenders);
  const rounds: Record<string, number[]> = {};
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    const started = await startAll(contenders, programs, runtime);
    try {
      for (const { name, driver } of started) {
        const pid = driver.childPid as number;
        await driver.run("exchange", { bytes: 100_000, count: 50 });
        const base = residentBytes(pid);
        forgetPeak(pid);
        await driver.run("exchange", { bytes, count: 6 });
        (rounds[name] ??= []).push((peakBytes(pid) - base) / bytes);
      }
    } finally {
      await stopAll(started);
    }
  }
  return rounds;
}

/** The fastest raw socket is the limit; the others are left out. */
function bestRawAsLimit(rounds: Rounds, better: RowHead["better"]): Rounds {
  const raw = Object.entries(rounds).filter(([name]) => name.startsWith("raw "));
  raw.sort(([, a], [, b]) => (better === "higher" ? median(b) - median(a) : median(a) - median(b)));
  const rest = Object.entries(rounds).filter(([name]) => !name.startsWith("raw "));
  return Object.fromEntries([...rest, ["limit", raw[0]?.[1] ?? []]]);
}

function quotients(above: Rounds, below: Rounds): Rounds {
  return Object.fromEntries(
    Object.entries(above).map(([name, values]) => [
      name,
      values.map((value, i) => value / (below[name]?.[i] ?? Number.NaN)),
    ]),
  );
}
