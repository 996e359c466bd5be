/** Whatever is asked of a host, in whatever order and at whatever moment: each ends, once, and nothing is left. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Host } from "../../src/host/host.ts";
import type { ExtensionManifest } from "../../src/host/manifest.ts";
import { ExtensionError } from "../../src/rpc/errors.ts";
import { hosting, mx } from "../support/hosting.ts";
import { processesWith } from "../support/processes.ts";
import { Random } from "../support/random.ts";

const ROUNDS = 6;
const ASKED = 80;

/** A Dhara extension that is there in 2 ms, and then does its worst: `$1` says what. */
const SCRIPT = `
case $1 in dies) exit 3;; deaf) trap '' TERM;; late) sleep 0.05;; noisy) echo no JSON; echo trouble >&2;; esac
while read -r line; do
  id=\${line#*"id":}; id=\${id%%[,}]*}; text=\${line#*"text":"}; text=\${text%%"*}
  case $line in
    *'"initialize"'*)
      [ $1 = mute ] || echo '{"jsonrpc":"2.0","id":1,"result":{"name":"x","version":"1","tools":[{"name":"echo","description":"","inputSchema":{}}]}}';;
    *'"shutdown"'*) [ $1 = deaf ] || exit 0;;
    *'"tools/execute"'*)
      case $1$text in
        *dies) exit 4;; *killed) kill -9 $$;; *half) printf '{"half'; exit 5;; *closes) exec >&-; sleep 1;; *never) continue;;
        *late) sleep 0.02;; *stops) kill -STOP $$;;
      esac
      echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"'$text'"}],"isError":false}}';;
  esac
done`;
const WAYS = ["well", "well", "well", "well", "dies", "deaf", "late", "noisy", "mute"];
const TEXTS = ["well", "well", "well", "well", "late", "dies", "killed", "half", "closes", "never", "stops"];
const MX = [
  {},
  {},
  { shutdown: "ignore" },
  { ignoreTerm: true },
  { dial: false },
  { status: "never" },
  { redialAfter: 1 },
];

function manifest(id: string, random: Random, mark: string): ExtensionManifest {
  const more = {
    id,
    startTimeoutMs: 300,
    timeoutMs: 200,
    shutdownTimeoutMs: 100,
    restart: random.pick([true, true, false, "always"] as const),
  };
  if (id === "mx") return mx({ ...random.pick(MX), mark }, more);
  return { ...more, protocol: "dhara", command: "sh", args: ["-c", SCRIPT, "sh", random.pick(WAYS), mark] };
}

/** One of the things that can be asked of an extension. */
async function ask(host: Host, id: string, random: Random, mark: string): Promise<unknown> {
  const signal = random.chance(5) ? AbortSignal.timeout(random.int(50)) : undefined;
  switch (random.int(10)) {
    case 0:
      return await host.stop(id);
    case 1:
      return await host.restart(id);
    case 2:
      return await host.remove(id);
    case 3:
    case 4:
      return await host.start(manifest(id, random, mark), { signal });
    case 5:
      return kill(host.extensions().find((each) => each.id === id)?.pid);
  }
  if (id === "mx") return await host.reportStatus(id);
  const text = random.pick(TEXTS);
  const { content } = await host.execute("echo", { text }, { extension: id, signal });
  return assert.deepEqual(content, [{ type: "text", text }]);
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  } catch {
    // It was gone before.
  }
}

/** What is wrong with how it ended: nothing with an error that says in its family's words what happened. */
async function fault(asked: Promise<unknown>): Promise<string | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    const { name, stack } = error as Error;
    return error instanceof ExtensionError || name === "TimeoutError" ? undefined : stack;
  }
}

async function round(seed: number): Promise<void> {
  const random = new Random(seed);
  const mark = `interleaved-${process.pid}-${seed}`;
  const trail: string[] = [];
  let isClosed = false;
  const late: string[] = [];
  await hosting(
    async ({ host }) => {
      const faults: Promise<string | undefined>[] = [];
      for (const id of ["a", "b", "mx"]) faults.push(fault(ask(host, id, random, mark)));
      for (let asked = 0; asked < ASKED; asked++) {
        faults.push(fault(ask(host, random.pick(["a", "b", "mx"]), random, mark)));
        if (random.chance(4)) await delay(random.int(40));
      }
      await host.close();
      isClosed = true;
      const found = (await Promise.all(faults)).filter((each) => each !== undefined);
      assert.deepEqual(found, [], `seed ${seed}: ${trail.join(" ")}`);
      const states = host.extensions().map(({ id, state, pid }) => `${id} ${state} ${pid}`);
      for (const state of states)
        assert.match(state, /(?:stopped|failed) undefined$/, `seed ${seed}: ${trail.join(" ")}`);
    },
    {
      statusIntervalMs: 30,
      onEvent(event) {
        if (event.type === "state") trail.push(`${event.extension}:${event.state}`);
        if (isClosed) late.push(`${event.extension} ${event.type}`);
      },
    },
  );
  // What was killed with its group is gone a moment later.
  while (processesWith(mark).length > 0) await delay(20);
  assert.deepEqual(late, [], `seed ${seed}: ${trail.join(" ")}`);
}

test("[X-19] [X-20] [X-23] [D13] [D14] starts, stops, restarts, removals, calls and kills in any order all end, and leave nothing", async () => {
  for (let seed = 1; seed <= ROUNDS; seed++) await round(seed);
});
