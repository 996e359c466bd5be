/** A host for the time of one command: interruptible, and always stopped in order. */
import { node } from "../adapters/node.ts";
import { Host, type HostOptions } from "../host/host.ts";
import { waitFor } from "../rpc/wait.ts";
import type { Cli } from "./context.ts";

/** Runs `work` with a host; settles once every extension has ended, whatever `work` did or a signal cut short. */
export async function withHost<T>(cli: Cli, options: HostOptions, work: (host: Host) => Promise<T>): Promise<T> {
  const host = new Host(node(), options);
  cli.interruption.onForce(() => {
    for (const { pid } of host.extensions()) if (pid !== undefined) killGroup(pid);
  });
  try {
    return await waitFor(work(host), { signal: cli.interruption.signal });
  } finally {
    await host.close();
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}
