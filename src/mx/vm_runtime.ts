/** Where a host's VMs come from. Whoever embeds a host brings one; `testPattern` is the one that needs nothing installed. */
import type { PixelLayout } from "../../codec/codec.ts";
import type { Vm } from "./types.ts";

/** What a VM shows, as a `VmRuntime` returns it. */
export interface Picture extends PixelLayout {
  /** `height * stride` bytes or more. They must not change until `release` is called. */
  readonly pixels: Uint8Array;
  /** Called once when nothing reads `pixels` any more, also if they could not be sent. */
  release?(): void;
}

/** Lists and captures the VMs that MX extensions see (M-21, X-18). */
export interface VmRuntime {
  list(): readonly Vm[] | Promise<readonly Vm[]>;
  /**
   * Returns what the VM shows now, or undefined if there is no such VM. If it throws an RpcError, that is the answer; any other
   * error is answered with -32000 and its message. `call.signal` is aborted when nobody waits for the answer any more.
   */
  capture(vmId: string, call?: { readonly signal: AbortSignal }): Picture | undefined | Promise<Picture | undefined>;
}
