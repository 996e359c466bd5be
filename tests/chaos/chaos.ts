/**
 * `npm run chaos -- [--seconds 60] [--seed N]`: twenty extensions of both kinds behind relays that make faults, and kills
 * at random, while calls go on. At the end every call has ended, nothing is left running, and memory is back.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Host } from "../../mod.ts";
import { node } from "../../src/adapters/node.ts";
import { within } from "../../src/rpc/within.ts";
import { Random } from "../support/random.ts";
import { handles, mebibytes, memory, once, processesWith } from "./census.ts";
import { Ledger } from "./ledger.ts";
import { keepCalling, keepKilling, manifest } from "./population.ts";

const EXTENSIONS = 20;
const CALLERS = 3;
const LONGEST_SECONDS = 120;
/** For what takes no time on a machine that has some. */
const PATIENCE_MS = 60_000;
/** What a run may leave behind in caches of the runtime. */
const SLACK_BYTES = 5 * 1024 * 1024;

const { values } = parseArgs({ options: { seconds: { type: "string" }, seed: { type: "string" } } });
const seconds = Math.min(Number(values.seconds ?? 60), LONGEST_SECONDS);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const faults: string[] = [];
process.on("unhandledRejection", (reason) => void faults.push(`unhandled rejection: ${String(reason)}`));
process.on("uncaughtException", (error) => void faults.push(`uncaught: ${error.stack}`));

console.log(`chaos: ${seconds} s, seed ${seed}`);
await run(2, seed + 1);
const before = { memory: await memory(), handles: handles() };
const ledger = await run(seconds, seed);
faults.push(...ledger.faults);
const moreHandles = () =>
  Object.entries(handles())
    .filter(([kind, count]) => count > (before.handles[kind] ?? 0))
    .map(([kind, count]) => `${count} handles of the kind ${kind} are left; there were ${before.handles[kind] ?? 0}`);
faults.push(...(await once(moreHandles, PATIENCE_MS)));
const after = { memory: await memory() };

const grown = after.memory.used - before.memory.used;
if (grown > SLACK_BYTES) faults.push(`${mebibytes(grown)} more memory in use than before`);
console.log(`memory in use: ${mebibytes(before.memory.used)} before, ${mebibytes(after.memory.used)} after`);
for (const fault of faults.slice(0, 30)) console.error(`✖ ${fault}`);
console.log(
  faults.length === 0 ? "all calls ended, nothing is left" : `${faults.length} faults; again with --seed ${seed}`,
);
process.exitCode = faults.length === 0 ? 0 : 1;

async function run(length: number, runSeed: number): Promise<Ledger> {
  const mark = `chaos-${process.pid}-${runSeed}`;
  const enough = new AbortController();
  const { signal } = enough;
  const calls = new Ledger();
  const host = new Host(node(), {
    statusIntervalMs: 500,
    onError: (error) => void faults.push(`a listener: ${String(error)}`),
  });
  const manifests = Array.from({ length: EXTENSIONS }, (_, index) => manifest(index, runSeed, mark));
  // A start may fail as well: the next use tries again.
  await Promise.all(
    manifests.map((each) =>
      calls.record(
        `start of ${each.id}`,
        () => host.start(each),
        () => undefined,
      ),
    ),
  );
  const callers = manifests.flatMap(({ id }, index) =>
    Array.from({ length: CALLERS }, (_, caller) =>
      keepCalling(host, id, new Random(runSeed * 1_000 + index * 10 + caller), calls, signal),
    ),
  );
  const killer = keepKilling(host, new Random(runSeed), signal);
  await delay(length * 1_000);
  // In the middle of it all: what is in flight must end by this alone.
  enough.abort();
  await host.close();
  await within(Promise.all(callers), PATIENCE_MS);
  const kills = await killer;
  console.log(`${calls.calls} calls and starts, ${kills} kills: ${calls}`);
  // What was killed with its group is not waited for by the host, and takes its time to go.
  const left = await once(() => processesWith(mark), PATIENCE_MS);
  faults.push(...left.map((each) => `left running: ${each}`));
  return calls;
}
