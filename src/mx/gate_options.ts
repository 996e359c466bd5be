/** What a gate is made with. */
import type { Codec } from "../../codec/codec.ts";
import type { Diagnostic } from "../rpc/channel.ts";
import type { ExtensionError } from "../rpc/errors.ts";
import type { GivenLimits } from "../rpc/limits.ts";
import type { PeerOptions } from "../rpc/peer.ts";
import type { MxSession } from "./session.ts";
import type { VmRuntime } from "./vm_runtime.ts";

/** Whom the gate lets in, what it serves them, and its times, limits and hooks. */
export interface MxGateOptions {
  /** The extension this gate is for (M-13). */
  readonly id: string;
  readonly codec: Codec;
  readonly vms: VmRuntime;
  readonly limits?: GivenLimits | undefined;
  /** From the connection to its accepted hello, in ms. Default 5,000. */
  readonly helloTimeoutMs?: number | undefined;
  /** For `reportStatus`, in ms (M-17). Default 5,000. */
  readonly statusTimeoutMs?: number | undefined;
  /** Makes the error that everything in flight of a session rejects with, see `PeerOptions.explain`. */
  readonly explain?: PeerOptions["explain"];
  /** Called when a hello was accepted and its answer is on its way: the time to ask for the status (M-17). */
  readonly onSession: (session: MxSession) => unknown;
  /** Something arrived that was no message, or that was skipped. Never holds any of the token. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** A connection ended without a session: why. Never holds any of the token. */
  readonly onRefused?: ((reason: ExtensionError) => void) | undefined;
}
