/**
 * `npm run soak -- [--seconds 300]`: 200,000 calls and 2,000 framebuffers in five minutes, with restarts. Memory at the end
 * is within 10 % of memory after the first minute (for a shorter run, a fifth of it). V8's room for young objects has one
 * size all along: left alone it follows how many are made, and took 15 MB more or less whatever was kept.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Host, testPattern } from "../../mod.ts";
import { node } from "../../src/adapters/node.ts";
import { fixture } from "../support/runtime.ts";
import { mebibytes, memory } from "./census.ts";
import { Ledger } from "./ledger.ts";

const CALLS_PER_SECOND = 200_000 / 300;
const FRAMEBUFFERS_PER_SECOND = 2_000 / 300;
const RESTART_SECONDS = 20;
const TURN_MS = 50;
const MOST_GROWTH = 1.1;

const { values } = parseArgs({ options: { seconds: { type: "string", default: "300" } } });
const seconds = Number(values.seconds);
const calls = Math.ceil(seconds * CALLS_PER_SECOND);
const ledger = new Ledger();
const faults: string[] = [];
let framebuffers = 0;

const host = new Host(node(), {
  vms: testPattern({ width: 1_920, height: 1_080 }),
  onEvent: (event) => {
    if (event.type === "stdout" && event.line === "captured") framebuffers++;
  },
});
const dhara = fixture("chaos_dhara");
const mx = fixture("chaos_mx", "50");
await host.start({ id: "dhara", protocol: "dhara", ...dhara });
await host.start({ id: "mx", protocol: "mx", ...mx });

const started = performance.now();
const elapsed = () => (performance.now() - started) / 1_000;
const open = new Set<Promise<void>>();
let called = 0;
let restartAt = RESTART_SECONDS;
let settled: Awaited<ReturnType<typeof memory>> | undefined;
while (elapsed() < seconds) {
  for (const due = Math.min(elapsed() * CALLS_PER_SECOND + 1, calls); called < due; called++) call(called);
  await delay(TURN_MS);
  if (elapsed() > restartAt) {
    restartAt += RESTART_SECONDS;
    await Promise.all(open);
    await Promise.all([host.restart("dhara"), host.restart("mx")]);
  }
  if (settled === undefined && elapsed() > seconds / 5) {
    settled = await memory();
    console.log(
      `after ${elapsed().toFixed(0)} s: ${mebibytes(settled.used)} in use, ${mebibytes(settled.resident)} resident`,
    );
  }
}
for (; called < calls; called++) call(called);
await Promise.all(open);
const end = await memory();
await host.close();
console.log(`after ${elapsed().toFixed(0)} s: ${mebibytes(end.used)} in use, ${mebibytes(end.resident)} resident`);
console.log(`${called} calls (${ledger}), ${framebuffers} framebuffers`);

faults.push(...ledger.faults);
if (ledger.toString() !== `answered ${called}`) faults.push(`not every call was answered: ${ledger}`);
if (framebuffers < seconds * FRAMEBUFFERS_PER_SECOND) faults.push(`only ${framebuffers} framebuffers`);
for (const kind of ["used", "resident"] as const) {
  const growth = end[kind] / (settled?.[kind] ?? 0);
  if (!(growth <= MOST_GROWTH)) faults.push(`memory ${kind} grew to ${growth.toFixed(2)} of what it was`);
}
for (const fault of faults.slice(0, 30)) console.error(`✖ ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function call(number: number): void {
  const text = `call ${number} é😀`;
  const ended = ledger.record(
    "echo",
    () => host.execute("echo", { text }),
    ({ content: [content] }) => (content?.type === "text" && content.text === text ? undefined : "another text"),
  );
  open.add(ended);
  void ended.then(() => open.delete(ended));
}
