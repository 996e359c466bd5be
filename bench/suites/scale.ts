/** Many idle sessions on one host, and many children: what each costs, and whether calls cost more among many. */
import type { Programs } from "../harness/build.ts";
import { bundle } from "../harness/build.ts";
import type { Member } from "../harness/crowd.ts";
import { Driver } from "../harness/driver.ts";
import type { Memory } from "../harness/many.ts";
import { type Rounds, type Row, type RowHead, rowOf } from "../harness/rows.ts";
import { gcFlags } from "../harness/runtimes.ts";
import type { Suite, SuiteOptions } from "./suite.ts";

const crowd = "harness/crowd";
const programNames: Readonly<Record<string, string>> = {
  ours: "ours/scale_host",
  limit: "limit/scale_host",
  "vscode-jsonrpc": "peers/vscode_scale_host",
};

/** An extension of one page of memory or two, so that hundreds fit: it answers the handshake and reads on. */
const childScript = `read -r line
printf '%s\\n' '{"jsonrpc":"2.0","id":1,"result":{"name":"child","version":"1.0.0","tools":[]}}'
while read -r line; do case $line in *shutdown*) exit 0;; esac; done`;

/**
 * V8 gives its space for young objects back only where less than 1 MB a second was allocated since the last collection,
 * and that may have been 16 MB ago: after 6 s it is chance whether a host, bare ones too, still holds up to 32 MB of it.
 * A quick run takes that chance. Both are longer than the 5 s of the timer of the last request.
 */
const idleMs = { whole: 17_000, quick: 6_000 };

type Measured = Record<string, Record<string, number[]>>;

export const scale: Suite = async (options) => {
  const sessions = options.quick ? 1_000 : 5_000;
  const children = options.quick ? 100 : 500;
  const rounds = options.quick ? 1 : 3;
  const programs = await bundle([...new Set(Object.values(programNames)), crowd]);
  const measured: Measured = {};
  const note = (quantity: string, name: string, value: number): void => {
    ((measured[quantity] ??= {})[name] ??= []).push(value);
  };
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(programNames)) {
      const alone = await measureSessions(1, name, programs, options);
      const many = await measureSessions(sessions, name, programs, options);
      for (const [quantity, value] of Object.entries(many)) note(quantity, name, value);
      note("growth", name, many.callCpu / alone.callCpu);
      if (name !== "vscode-jsonrpc") note("child", name, await measureChildren(children, name, programs, options));
    }
  }
  const rows: Row[] = [];
  const row = (quantity: string, head: Omit<RowHead, "suite" | "runtime">, values?: Rounds): void => {
    rows.push(
      rowOf({ suite: "scale", runtime: options.runtime.name, ...head }, values ?? (measured[quantity] as Rounds)),
    );
  };
  const among = `among ${sessions.toLocaleString("en-US")} sessions`;
  row(
    "heap",
    { case: `heap of an idle session over a bare socket's, ${among}`, unit: "bytes", better: "lower" },
    overBare(measured["heap"] as Rounds),
  );
  row("resident", { case: `resident memory of an idle session, ${among}`, unit: "bytes", better: "lower" });
  row("hellos", { case: `hellos, ${among}`, unit: "per CPU s", better: "higher" });
  row("callCpu", { case: `a call, ${among}`, unit: "µs CPU", better: "lower" });
  row("roundCpu", { case: `a call from each, ${among}`, unit: "µs CPU", better: "lower" });
  row("growth", { case: `cost of a call ${among} to that with 1`, unit: "ratio", better: "lower" });
  row("child", { case: `host's memory for each of ${children} children`, unit: "bytes", better: "lower" });
  return rows;
};

interface SessionCosts extends Readonly<Record<string, number>> {
  /** In bytes a session. */
  readonly heap: number;
  readonly resident: number;
  readonly hellos: number;
  /** Of calls from one session, and of calls from all in turn, in µs of the host. */
  readonly callCpu: number;
  readonly roundCpu: number;
}

async function measureSessions(
  count: number,
  name: string,
  programs: Programs,
  { runtime, quick }: SuiteOptions,
): Promise<SessionCosts> {
  const program = programs.path(programNames[name] as string);
  const host = await Driver.start({ runtime, program, runtimeFlags: gcFlags(runtime) });
  const visitors = await Driver.start({ runtime, program: programs.path(crowd) });
  try {
    const empty = await host.run<Memory>("memory");
    const members = await host.run<Member[]>("expect", count);
    const before = await host.run<Memory>("memory");
    const framing = name === "vscode-jsonrpc" ? "headers" : "frames";
    const arrive = (some: Member[]): Promise<unknown> =>
      visitors.run("arrive", { members: some, framing, atOnce: 100 });
    // The first half warms up: until then the compiler costs more than the hellos.
    const first = members.splice(0, count >> 1);
    await arrive(first);
    const helloBegin = host.cpuUs();
    await arrive(members);
    const helloCpu = (host.cpuUs() - helloBegin) / members.length;
    if (count > 1) await new Promise((resolve) => setTimeout(resolve, quick ? idleMs.quick : idleMs.whole));
    const after = await host.run<Memory>("memory");
    const callCpu = await cost(host, quick ? 10_000 : 30_000, (calls) =>
      visitors.run("call", { count: calls, inFlight: 64 }),
    );
    const times = Math.ceil((quick ? 5_000 : 20_000) / count);
    const roundCpu = await cost(host, times * count, () => visitors.run("callAll", { times, atOnce: 64 }));
    return {
      heap: (after.heap - before.heap) / count,
      resident: (after.resident - empty.resident) / count,
      hellos: 1e6 / helloCpu,
      callCpu,
      roundCpu,
    };
  } finally {
    await visitors.stop();
    await host.stop();
  }
}

/** Of one call in µs of the host, after as many to warm up. */
async function cost(host: Driver, count: number, call: (count: number) => Promise<unknown>): Promise<number> {
  await call(count);
  const begin = host.cpuUs();
  await call(count);
  return (host.cpuUs() - begin) / count;
}

async function measureChildren(
  count: number,
  name: string,
  programs: Programs,
  { runtime }: SuiteOptions,
): Promise<number> {
  const program = programs.path(programNames[name] as string);
  const host = await Driver.start({ runtime, program, runtimeFlags: gcFlags(runtime) });
  try {
    // The first ones bring in code that the later ones share.
    const child = { command: "/bin/sh", args: ["-c", childScript] };
    await host.run("spawn", { count: 10, ...child });
    const before = await host.run<Memory>("memory");
    await host.run("spawn", { count, ...child });
    const after = await host.run<Memory>("memory");
    return (after.resident - before.resident) / count;
  } finally {
    await host.stop();
  }
}

function overBare(heap: Rounds): Rounds {
  const bare = heap["limit"] ?? [];
  const others = Object.entries(heap).filter(([name]) => name !== "limit");
  return Object.fromEntries(
    others.map(([name, values]) => [name, values.map((value, i) => value - (bare[i] ?? Number.NaN))]),
  );
}
