/** An extension of a host, of either protocol. */
import { defined } from "../rpc/defined.ts";
import type { DharaDriver } from "./dhara_driver.ts";
import type { ExtensionSnapshot } from "./events.ts";
import type { MxDriver } from "./mx_driver.ts";
import type { Supervisor } from "./supervisor.ts";

export type Hosted =
  | { readonly protocol: "dhara"; readonly supervisor: Supervisor<DharaDriver> }
  | { readonly protocol: "mx"; readonly supervisor: Supervisor<MxDriver> };

/** What it is and how it is doing at this moment. */
export function snapshot({ protocol, supervisor }: Hosted): ExtensionSnapshot {
  const { manifest, state, message, run, pid, restarts, lastExit } = supervisor;
  const sessionId = protocol === "mx" ? supervisor.driver?.session?.sessionId : undefined;
  return {
    id: manifest.id,
    protocol,
    state,
    ...defined({ message, pid, sessionId, lastExit }),
    restarts,
    stderr: () => run?.stderr.lines() ?? [],
    diagnostics: () => run?.diagnostics ?? [],
  };
}
