/** `extwire tools`: what an extension offers. */
import type { Cli } from "../context.ts";
import { resolveTarget } from "../target.ts";
import { toolLines } from "../tool_table.ts";
import { type WatchFlags, withWatchedHost } from "../watched_host.ts";

export interface ToolsFlags extends WatchFlags {
  readonly json?: boolean;
  readonly protocol?: "dhara" | "mx";
}

export async function tools(this: Cli, flags: ToolsFlags, target?: string): Promise<void> {
  const { output } = this;
  output.json = flags.json === true;
  const manifest = await resolveTarget(target, { rest: this.rest, protocol: flags.protocol, self: this.self });
  output.activity(`starting ${manifest.id}`);
  const found = await withWatchedHost(this, manifest.id, flags, async (host) => {
    await host.start(manifest);
    return host.tools();
  });
  output.progressDone();
  if (output.json) return output.value(found);
  for (const line of toolLines(found, output)) output.line(line);
  if (found.length === 0) {
    const why =
      manifest.protocol === "mx" ? "MX extensions offer no tools; extwire run hosts them" : "it offers no tools";
    output.note(`${manifest.id}: ${why}`);
  }
}
