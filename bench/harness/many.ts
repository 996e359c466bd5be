/** What every contender of `scale` does: it holds many connections, or many children. */

import type { Member } from "./crowd.ts";
import { residentBytes } from "./process_cost.ts";
import { serveHarness } from "./program.ts";

export interface Many {
  /** Gets ready for so many connections. */
  expect?(count: number): Promise<readonly Member[]>;
  /** Starts so many children and resolves when each has answered its first request. */
  spawn?(count: number, command: string, args: readonly string[]): Promise<unknown>;
  close(): unknown;
}

export interface Memory {
  readonly heap: number;
  readonly resident: number;
}

/** Obeys `expect`, `spawn` and `memory`. */
export function serveMany(many: Many): void {
  serveHarness(
    {
      expect: (count: number) => many.expect?.(count),
      spawn: async ({ count, command, args }: { count: number; command: string; args: string[] }) => {
        await many.spawn?.(count, command, args);
      },
      async memory(): Promise<Memory> {
        // What a turn of the loop or a first collection still held is given up by the next.
        for (let i = 0; i < 3; i++) {
          (globalThis as { gc?: () => void }).gc?.();
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        return { heap: process.memoryUsage().heapUsed, resident: residentBytes(process.pid) };
      },
    },
    () => many.close(),
  );
}
