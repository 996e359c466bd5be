/** What a process cost so far, from the kernel's accounting in /proc. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/**
 * CPU time of all threads of a process in microseconds, precise to the nanosecond where the kernel keeps schedstat,
 * which `stat` with its ticks of 10 ms isn't. Threads that ended are not counted; measured programs keep theirs.
 */
export function cpuUs(pid: number): number {
  let total = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1000;
  }
  return total;
}

function statusBytes(pid: number, field: "VmRSS" | "VmHWM"): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(match?.[1]) * 1024;
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  return statusBytes(pid, "VmRSS");
}

/** The most that was resident since the process began, or since `forgetPeak`. */
export function peakBytes(pid: number): number {
  return statusBytes(pid, "VmHWM");
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
