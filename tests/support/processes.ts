/** Looking at processes from outside. */
import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

/** Whether `pid` runs; one that has ended and that nobody has waited for does not. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

/** Waits until `pid` has ended; nobody tells us of a process that is not our child. */
export async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await delay(20);
}

/** The pids of all that run with `text` in their command. */
export function processesWith(text: string): number[] {
  const { stdout } = spawnSync("ps", ["-ww", "-eo", "pid=,stat=,args="], { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line.includes(text));
  return lines
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([pid, stat]) => (stat?.startsWith("Z") ? [] : [Number(pid)]));
}
