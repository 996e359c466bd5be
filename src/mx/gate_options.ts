/** What a gate is made with. */
import type { Codec } from "../../codec/codec.ts";
import type { Diagnostic } from "../rpc/channel.ts";
import type { ExtensionError } from "../rpc/errors.ts";
import type { GivenLimits } from "../rpc/limits.ts";
import type { PeerOptions } from "../rpc/peer.ts";
import type { MxSession } from "./session.ts";
import type { VmRuntime } from "./vm_runtime.ts";

/** Which extension the gate is for, what it serves it, and its timeouts, limits and hooks. */
export interface MxGateOptions {
  /** The extension this gate is for (M-13). */
  readonly id: string;
  /** Splits into frames what arrives over the pipes that `accept` takes. */
  readonly codec: Codec;
  readonly vms: VmRuntime;
  readonly limits?: GivenLimits | undefined;
  /** How long a connection may take until its hello is accepted, in ms. Default 5,000. */
  readonly helloTimeoutMs?: number | undefined;
  /** The timeout of `reportStatus`, in ms (M-17). Default 5,000. */
  readonly statusTimeoutMs?: number | undefined;
  /** Makes the error with which a session's requests in flight reject when it ends, see `PeerOptions.explain`. */
  readonly explain?: PeerOptions["explain"];
  /** Called when a hello was accepted and its answer is on its way. This is the moment to ask for the status (M-17). */
  readonly onSession: (session: MxSession) => unknown;
  /** Called when something arrived that was no message, or that was skipped. Never contains any part of the token. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Called with the reason when a connection ended without a session. Never contains any part of the token. */
  readonly onRefused?: ((reason: ExtensionError) => void) | undefined;
}
