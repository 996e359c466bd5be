/** The measured program: one contender in a process of its own, so that none runs on code that another one shaped. */
import { serveHarness, setup } from "../harness/program.ts";
import { answers, CONTENDERS } from "./contenders.ts";
import { Count, Fingerprint, type Pass } from "./output.ts";
import { allWork, type Work } from "./work.ts";

const { contender: name } = setup<{ contender: string }>();
const contender = CONTENDERS[name]!;
const plans = allWork();

let prepared: { index: number; work: Work; pass: Pass | undefined } | undefined;

/** One work at a time is in memory. */
function prepare(index: number): { work: Work; pass: Pass | undefined } {
  if (prepared?.index === index) return prepared;
  prepared = undefined;
  const work = plans[index]!.make();
  prepared = { index, work, pass: contender(work, new Count()) };
  return prepared;
}

serveHarness(
  {
    /** What comes out, or null where there is no answer. */
    async answer(index: number) {
      if (!answers(name, plans[index]!)) return null;
      const fingerprint = new Fingerprint();
      const pass = contender(prepare(index).work, fingerprint);
      if (pass === undefined) return null;
      await pass();
      return fingerprint.toString();
    },
    /** MB a second of CPU over at least `ms` milliseconds of it, after `warmMs` that do not count. */
    async measure({ index, ms, warmMs }: { index: number; ms: number; warmMs: number }) {
      const { work, pass } = prepare(index);
      if (pass === undefined) return null;
      if (warmMs > 0) await timed(pass, warmMs);
      return work.bytes / 1000 / (await timed(pass, ms));
    },
  },
  () => {},
);

/**
 * Milliseconds of CPU that one pass takes: so that a neighbour on the machine costs nobody's result. The clock is read
 * seldom, after twice as many passes each time: to read it can take longer than a pass.
 */
async function timed(pass: Pass, ms: number): Promise<number> {
  const begin = cpuMs();
  let passes = 0;
  let now = begin;
  for (let until = 1; now - begin < ms; until = passes * 2) {
    for (; passes < until; passes++) {
      const waiting = pass();
      if (waiting !== undefined) await waiting;
    }
    now = cpuMs();
  }
  return (now - begin) / passes;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
