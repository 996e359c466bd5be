/** What is left when all should be gone: processes, handles of the event loop, memory. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Every process whose environment holds `mark`, found as only Linux lets it be found. */
export function processesWith(mark: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).includes(mark) && !/^State:\s+Z/m.test(read(`/proc/${pid}/status`)))
    .map((pid) => `${pid}: ${read(`/proc/${pid}/cmdline`).replaceAll("\0", " ")}`);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It ended meanwhile, which is what is hoped for.
    return "";
  }
}

/** Timers, sockets, pipes and child processes that keep this process alive, by kind. */
export function handles(): Record<string, number> {
  const kinds = ["Timeout", "Immediate", "TCPSocketWrap", "TCPServerWrap", "PipeWrap", "ProcessWrap"];
  const found: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) if (kinds.includes(kind)) found[kind] = (found[kind] ?? 0) + 1;
  return found;
}

/** What `left` still finds when it has found nothing, or after `patienceMs`. */
export async function once(left: () => string[], patienceMs: number): Promise<string[]> {
  const began = performance.now();
  for (;;) {
    const found = left();
    if (found.length === 0 || performance.now() - began > patienceMs) return found;
    await delay(50);
  }
}

export interface Memory {
  /** Bytes of objects and buffers after a full collection. */
  readonly used: number;
  /** Bytes that the process holds of the machine. */
  readonly resident: number;
}

/** Needs `--expose-gc`, but in Bun. */
export async function memory(): Promise<Memory> {
  const { Bun, gc } = globalThis as { Bun?: { gc(now: boolean): void }; gc?: () => void };
  const collect = gc ?? (Bun && (() => Bun.gc(true)));
  if (!collect) throw new Error("run it with --expose-gc");
  // Finalizers, which free buffers, run between collections.
  for (let round = 0; round < 3; round++) {
    collect();
    await delay(50);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { used: heapUsed + external, resident: rss };
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
