/** The example MX extension: it watches the host's screens and says how that goes. */
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "../../src/adapters/node_connect.ts";
import { makeFolder } from "../../src/adapters/node_folder.ts";
import type { MxClient, StatusReport } from "../../src/mx/extension.ts";
import { encodePng } from "../../src/mx/png.ts";
import { within } from "../../src/rpc/within.ts";

export interface WatchOptions {
  /** A folder for the last picture of each VM, as `<id>.png`. */
  readonly saveTo?: string;
  /** From one capture to the next. Default 1,000. */
  readonly intervalMs?: number;
}

/** Says hello, lists the VMs, and captures each one's framebuffer every second until the host shuts it down. */
export async function watchScreens({ saveTo, intervalMs = 1_000 }: WatchOptions = {}): Promise<void> {
  if (saveTo !== undefined) await makeFolder(saveTo);
  const watch = new Watch(saveTo);
  const client = await connect({ version: "1.0.0", status: () => watch.status() });
  while (!client.signal.aborted) {
    await watch.look(client);
    await pause(intervalMs, client.signal);
  }
}

/** Well within the time that a host waits for a status (M-17). */
const LIST_MS = 2_000;

class Watch {
  readonly #saveTo: string | undefined;
  #vms: readonly string[] = [];
  /** Why the last round of captures failed; undefined when it went well. */
  #trouble: string | undefined;
  #frame = 0;
  readonly #listed: Promise<void>;
  #isListed: () => void = () => {};

  constructor(saveTo: string | undefined) {
    this.#saveTo = saveTo;
    this.#listed = new Promise((resolve) => {
      this.#isListed = resolve;
    });
  }

  /**
   * What the host is told when it asks. It asks first right after the hello, when nothing is known yet, waits 5 s, and may
   * list its VMs only after that.
   */
  async status(): Promise<StatusReport> {
    const listed = await within(
      this.#listed.then(() => true),
      LIST_MS,
    );
    if (listed === undefined) return { state: "ready", message: "waiting for the list of VMs" };
    if (this.#trouble !== undefined) return { state: "degraded", message: this.#trouble };
    return { state: "ready", message: `watching ${this.#vms.join(", ") || "no VM"}` };
  }

  /** One round. Never rejects: what goes wrong becomes the status, and the next round tries again. */
  async look(client: MxClient): Promise<void> {
    const { signal } = client;
    try {
      const ids = (await client.listVms({ signal })).map(({ id }) => id);
      if (ids.join() !== this.#vms.join()) console.log(`VMs: ${ids.join(", ") || "none"}`);
      this.#vms = ids;
      this.#isListed();
      this.#frame++;
      for (const id of ids) await this.#capture(client, id, signal);
      if (this.#trouble !== undefined) console.log("capturing again");
      this.#trouble = undefined;
    } catch (error) {
      if (signal.aborted) return;
      const reason = `capture failed: ${(error as Error).message}`;
      if (reason !== this.#trouble) console.error(reason);
      this.#trouble = reason;
    } finally {
      this.#isListed();
    }
  }

  async #capture(client: MxClient, id: string, signal: AbortSignal): Promise<void> {
    const { width, height, rgba, release } = await client.captureFramebuffer(id, { signal });
    let saved = "";
    if (this.#saveTo !== undefined) {
      const path = join(this.#saveTo, `${id.replace(/[^\w.-]+/g, "_")}.png`);
      // Whoever reads it finds the last picture or this one, never half of one.
      await writeFile(`${path}.part`, await encodePng(width, height, rgba));
      await rename(`${path}.part`, path);
      saved = ` -> ${path}`;
    }
    release();
    console.log(`${id} frame ${this.#frame}: ${width}x${height}${saved}`);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
