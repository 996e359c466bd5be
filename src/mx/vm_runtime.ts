/** Where a host's VMs come from. Whoever embeds a host brings one; `testPattern` is the one that needs nothing installed. */
import type { PixelLayout } from "../../codec/codec.ts";
import type { Vm } from "./types.ts";

/** What a VM shows. */
export interface Picture extends PixelLayout {
  /** `height * stride` bytes or more; they must not change until `release` is called. */
  readonly pixels: Uint8Array;
  /** Called once when nobody reads `pixels` any more, also when they could not be sent. */
  release?(): void;
}

/** The VMs that MX extensions see (M-21, X-18). */
export interface VmRuntime {
  list(): readonly Vm[] | Promise<readonly Vm[]>;
  /**
   * Undefined when there is no such VM. What it throws is answered with -32000 and its message; an RpcError as it is.
   * Reading `call.signal` gives a signal that is aborted when nobody waits any more.
   */
  capture(vmId: string, call?: { readonly signal: AbortSignal }): Picture | undefined | Promise<Picture | undefined>;
}
