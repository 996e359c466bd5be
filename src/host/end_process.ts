/** How a process is ended: politely first, within its grace time. */
import { within } from "../rpc/within.ts";
import type { Driver } from "./driver.ts";
import type { ExtensionProcess } from "./platform.ts";

/** From SIGKILL to giving up on a process that the system does not let go of. */
const KILL_MS = 500;
/** Part of the grace after which the stdin of a process that was asked to stop is closed, for those that wait for that alone. */
const STDIN_SHARE = 0.2;

/** Shutdown, wait, kill (D-13, M-19, X-20): one that cannot be asked is sent SIGTERM instead. */
export async function endProcess(process: ExtensionProcess, driver: Driver, graceMs: number): Promise<void> {
  if (!driver.shutdown(graceMs)) process.kill("SIGTERM");
  const closing = setTimeout(() => void process.stdio.end(), graceMs * STDIN_SHARE);
  const exit = await within(process.exited, graceMs);
  clearTimeout(closing);
  if (exit) return;
  process.kill("SIGKILL");
  await within(process.exited, KILL_MS);
}
