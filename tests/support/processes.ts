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
