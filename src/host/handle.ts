/** One extension of a host, by itself. */
import type { ExecuteOptions } from "../dhara/host.ts";
import type { ToolInfo, ToolResult } from "../dhara/types.ts";
import type { ExtensionStatus } from "../mx/types.ts";
import type { Peer } from "../rpc/peer.ts";
import type { ExtensionSnapshot, RunState } from "./events.ts";

/** What a handle asks of its host. */
export interface HandleOwner {
  snapshot(id: string): ExtensionSnapshot;
  toolsOf(id: string): readonly ToolInfo[];
  peerOf(id: string): Peer | undefined;
  execute(tool: string, input: unknown, options: ExecuteOptions & { readonly extension: string }): Promise<ToolResult>;
  reportStatus(id: string): Promise<ExtensionStatus>;
  restart(id: string): Promise<void>;
  stop(id: string): Promise<void>;
}

/** An extension that `Host.start` has started. It stays of use over restarts. */
export class ExtensionHandle {
  readonly id: string;
  readonly protocol: "dhara" | "mx";
  readonly #owner: HandleOwner;

  constructor(id: string, protocol: "dhara" | "mx", owner: HandleOwner) {
    this.id = id;
    this.protocol = protocol;
    this.#owner = owner;
  }

  get state(): RunState {
    return this.snapshot().state;
  }

  /** Its tools; none for MX. */
  get tools(): readonly ToolInfo[] {
    return this.#owner.toolsOf(this.id);
  }

  /** The connection of this moment, for methods beyond the protocol's own. Undefined while there is none. */
  get peer(): Peer | undefined {
    return this.#owner.peerOf(this.id);
  }

  snapshot(): ExtensionSnapshot {
    return this.#owner.snapshot(this.id);
  }

  /** As `Host.execute`, for the tools of this one. */
  execute(tool: string, input: unknown = {}, options: ExecuteOptions = {}): Promise<ToolResult> {
    return this.#owner.execute(tool, input, { ...options, extension: this.id });
  }

  /** As `Host.reportStatus`. */
  reportStatus(): Promise<ExtensionStatus> {
    return this.#owner.reportStatus(this.id);
  }

  restart(): Promise<void> {
    return this.#owner.restart(this.id);
  }

  stop(): Promise<void> {
    return this.#owner.stop(this.id);
  }
}
