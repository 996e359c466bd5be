/** One extension of a host, by itself. */
import type { ExecuteOptions } from "../dhara/host.ts";
import type { ToolInfo, ToolResult } from "../dhara/types.ts";
import type { ExtensionStatus } from "../mx/types.ts";
import type { Peer } from "../rpc/peer.ts";
import type { ExtensionSnapshot, RunState } from "./events.ts";
import { type Hosted, snapshot } from "./hosted.ts";

/** What a handle asks of its host. */
export interface HandleOwner {
  execute(tool: string, input: unknown, options: ExecuteOptions & { readonly extension: string }): Promise<ToolResult>;
  reportStatus(id: string): Promise<ExtensionStatus>;
  restart(id: string): Promise<void>;
  stop(id: string): Promise<void>;
}

/**
 * One extension of a host, as `Host.start` returns it. It remains usable across restarts.
 *
 * @example
 * ```ts
 * import { Host } from "extwire";
 * import { node } from "extwire/node";
 * await using host = new Host(node());
 * const program = `
 *   const tools = [{ name: "ping", description: "Answers", inputSchema: { type: "object" } }];
 *   const results = { initialize: { name: "demo", version: "1.0.0", tools },
 *     "tools/execute": { content: [{ type: "text", text: "pong" }], isError: false } };
 *   require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
 *     const { id, method } = JSON.parse(line);
 *     if (method === "shutdown") process.exit(0);
 *     console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
 *   });`;
 * const demo = await host.start({ id: "demo", protocol: "dhara", command: "node", args: ["-e", program] });
 * console.log((await demo.execute("ping")).content); // [{ type: "text", text: "pong" }]
 * await demo.stop();
 * console.log(demo.state); // stopped
 * ```
 */
export class ExtensionHandle {
  readonly id: string;
  readonly protocol: "dhara" | "mx";
  readonly #owner: HandleOwner;
  readonly #hosted: () => Hosted;

  /** `hosted`: the extension of that id, at this moment. */
  constructor(id: string, protocol: "dhara" | "mx", owner: HandleOwner, hosted: () => Hosted) {
    this.id = id;
    this.protocol = protocol;
    this.#owner = owner;
    this.#hosted = hosted;
  }

  get state(): RunState {
    return this.snapshot().state;
  }

  /** Its tools; none for MX. */
  get tools(): readonly ToolInfo[] {
    return this.#hosted().supervisor.tools;
  }

  /** The current connection, for methods of your own. Undefined while there is none. */
  get peer(): Peer | undefined {
    return this.#hosted().supervisor.driver?.session?.peer;
  }

  /** What the extension is, and how it is doing, at this moment. */
  snapshot(): ExtensionSnapshot {
    return snapshot(this.#hosted());
  }

  /** As `Host.execute`, for this extension's tools. */
  execute(tool: string, input: unknown = {}, options: ExecuteOptions = {}): Promise<ToolResult> {
    return this.#owner.execute(tool, input, { ...options, extension: this.id });
  }

  /** As `Host.reportStatus`. */
  reportStatus(): Promise<ExtensionStatus> {
    return this.#owner.reportStatus(this.id);
  }

  /** As `Host.restart`: stops it, then starts it again. */
  restart(): Promise<void> {
    return this.#owner.restart(this.id);
  }

  /** As `Host.stop`: resolves when the process is gone. */
  stop(): Promise<void> {
    return this.#owner.stop(this.id);
  }
}
