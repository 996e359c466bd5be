/** The extensions of a chaos run, and the calls that go on while they fail. */
import { setTimeout as delay } from "node:timers/promises";
import type { ExtensionManifest, Host } from "../../mod.ts";
import type { Random } from "../support/random.ts";
import { fixture } from "../support/runtime.ts";
import type { Ledger } from "./ledger.ts";

const TEXTS = ["", "plain", "é — 😀 漢字", "\u2028\u2029\u0085", '"quoted"\\\n', "x".repeat(20_000), "ü".repeat(3_000)];

/** Number `index` of a run: a relay that starts the real extension. */
export function manifest(index: number, seed: number, mark: string): ExtensionManifest & { protocol: "dhara" | "mx" } {
  const protocol = index % 2 === 0 ? "dhara" : "mx";
  const extension = protocol === "dhara" ? fixture("chaos_dhara") : fixture("chaos_mx", "100");
  const relay = fixture("chaos_relay", JSON.stringify({ seed: seed + index, protocol }));
  return {
    id: `${protocol}-${index}`,
    protocol,
    command: relay.command,
    args: [...relay.args, extension.command, ...extension.args],
    env: { CHAOS_MARK: mark },
    timeoutMs: 2_000,
    startTimeoutMs: 10_000,
    shutdownTimeoutMs: 300,
    restart: protocol === "mx" ? "always" : true,
  };
}

/** One caller: call after call to one extension until `signal` says enough. */
export async function keepCalling(
  host: Host,
  id: string,
  random: Random,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (id.startsWith("dhara")) await callTool(host, id, random, ledger);
    else
      await ledger.record(
        `status of ${id}`,
        () => host.reportStatus(id),
        ({ state }) => (state ? undefined : "no state"),
      );
    await revive(host, id);
    await delay(random.int(20));
  }
}

async function callTool(host: Host, extension: string, random: Random, ledger: Ledger): Promise<void> {
  const tool = random.pick(["echo", "echo", "steps", "sleep", "big", "noisy"]);
  const text = random.pick(TEXTS);
  const input = { text, ms: random.int(200), size: random.int(400_000) };
  const signal = random.chance(10) ? AbortSignal.any([aborting(random.int(100))]) : undefined;
  const steps: string[] = [];
  let ended = false;
  const onProgress = (message: string) => void steps.push(ended ? `late ${message}` : message);
  await ledger.record(
    `${tool} of ${extension}`,
    () => host.execute(tool, input, { extension, signal, onProgress }),
    ({ content: [content] }) => {
      ended = true;
      const got = content?.type === "text" ? content.text : undefined;
      if (tool === "big")
        return got?.length === input.size ? undefined : `${got?.length} characters, not ${input.size}`;
      if (got !== text) return `${JSON.stringify(got)?.slice(0, 100)}, not ${JSON.stringify(text).slice(0, 100)}`;
      return tool === "steps" && steps.join() !== "1,2,3" ? `the steps ${steps.join()}` : undefined;
    },
  );
  if (steps.some((step) => step.startsWith("late")))
    await ledger.record(`progress of ${tool}`, async () => steps, String);
}

function aborting(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms);
  return controller.signal;
}

/** One that failed too often is not started again by itself: here a person would do it. */
async function revive(host: Host, id: string): Promise<void> {
  const { state, protocol } = host.extensions().find((each) => each.id === id) ?? {};
  if (state !== "failed" || (protocol === "mx" && host.extensions().some((each) => each.id === id && each.pid))) return;
  await host.restart(id).catch(() => {});
}

/** Kills one of the processes at a time, as `kill -9` does. */
export async function keepKilling(host: Host, random: Random, signal: AbortSignal): Promise<number> {
  let kills = 0;
  while (!signal.aborted) {
    await delay(200 + random.int(600));
    const pid = random.pick(host.extensions()).pid;
    if (pid === undefined) continue;
    try {
      process.kill(pid, "SIGKILL");
      kills++;
    } catch {
      // It was quicker.
    }
  }
  return kills;
}
