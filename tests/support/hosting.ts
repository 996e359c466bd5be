/** A host with real extensions, and what it tells. */
import assert from "node:assert/strict";
import { node } from "../../src/adapters/node.ts";
import type { HostEvent } from "../../src/host/events.ts";
import { Host, type HostOptions } from "../../src/host/host.ts";
import type { ExtensionManifest } from "../../src/host/manifest.ts";
import { fixture } from "./runtime.ts";

export interface Hosting {
  readonly host: Host;
  readonly events: readonly HostEvent[];
  /** The first event that fits, of those that came and those that will. */
  until(fits: (event: HostEvent) => boolean): Promise<HostEvent>;
}

/** Does `work` with a host, and closes it whatever happens. */
export async function hosting(work: (hosting: Hosting) => Promise<void>, options: HostOptions = {}): Promise<void> {
  const events: HostEvent[] = [];
  const waiting = new Set<(event: HostEvent) => void>();
  const host = new Host(node(), {
    ...options,
    onEvent(event) {
      events.push(event);
      for (const each of waiting) each(event);
      return options.onEvent?.(event);
    },
  });
  const until = (fits: (event: HostEvent) => boolean) =>
    new Promise<HostEvent>((resolve) => {
      const found = events.find(fits);
      if (found) return resolve(found);
      const look = (event: HostEvent) => {
        if (!fits(event)) return;
        waiting.delete(look);
        resolve(event);
      };
      waiting.add(look);
    });
  try {
    await work({ host, events, until });
  } finally {
    await host.close();
  }
}

/** To end by oneself, however busy the machine is. */
const GRACE_MS = 30_000;

/** `tests/fixtures/host_dhara.ts`, with a long grace time. */
export function dhara(behaviour: object = {}, more: Partial<ExtensionManifest> = {}): ExtensionManifest {
  return {
    id: "raw",
    protocol: "dhara",
    ...fixture("host_dhara", JSON.stringify(behaviour)),
    shutdownTimeoutMs: GRACE_MS,
    ...more,
  };
}

/** `tests/fixtures/host_mx.ts`, with a long grace time. */
export function mx(behaviour: object = {}, more: Partial<ExtensionManifest> = {}): ExtensionManifest {
  return {
    id: "raw",
    protocol: "mx",
    ...fixture("host_mx", JSON.stringify(behaviour)),
    shutdownTimeoutMs: GRACE_MS,
    ...more,
  };
}

/** Runs the command under `sh`, as `"$@"` in `script`. */
export function wrapped(script: string, { command, args = [], ...manifest }: ExtensionManifest): ExtensionManifest {
  return { ...manifest, command: "sh", args: ["-c", script, "sh", command, ...args] };
}

/** What the `about` tool of the Dhara fixture says of its process. */
export async function about(
  host: Host,
  extension = "raw",
): Promise<{ pid: number; env: Record<string, string>; argv: string[]; cwd: string; folder: string; heard: string[] }> {
  const { content } = await host.execute("about", {}, { extension });
  const [first] = content;
  assert.ok(first?.type === "text");
  return JSON.parse(first.text);
}
