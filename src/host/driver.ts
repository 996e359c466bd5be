/** What differs between the protocols in one process's life. */
import type { Codec } from "../../codec/codec.ts";
import type { ToolInfo } from "../dhara/types.ts";
import type { ExtensionStatus } from "../mx/types.ts";
import type { Diagnostic } from "../rpc/channel.ts";
import type { ExtensionError } from "../rpc/errors.ts";
import type { Limits } from "../rpc/limits.ts";
import type { Trace } from "../rpc/trace.ts";
import type { ExtensionManifest } from "./manifest.ts";
import type { ExtensionProcess } from "./platform.ts";

/** What a driver tells the run that it belongs to. */
export interface DriverHooks {
  readonly manifest: ExtensionManifest;
  /** The host's working folder. */
  readonly cwd: string;
  readonly codec: Codec;
  readonly limits: Limits;
  /** Is told of every message on a connection, where somebody wants to know. */
  readonly trace: Trace | undefined;
  /** Makes the error that everything in flight on a connection rejects with. */
  explain(cause: Error | undefined): Promise<ExtensionError>;
  /** The connection is over for good, and with it the use of the process. */
  lost(reason: ExtensionError): void;
  /** Ends the process because a call got no answer in time; resolves with how it ended (D-13). */
  timedOut(): Promise<ExtensionError>;
  tools(tools: readonly ToolInfo[]): void;
  status(status: ExtensionStatus): void;
  /** It runs and is not well, which it did not say itself. */
  degraded(message: string): void;
  diagnostic(diagnostic: Diagnostic): void;
  /** Bytes on stdout that are not the protocol's. */
  stdout(chunk: Uint8Array): void;
  /** Nothing that holds this text may be shown. */
  secret(text: string): void;
  error(error: unknown): void;
}

export interface Driver {
  /** Whether it can be asked something now. */
  readonly usable: boolean;
  /** That the last connection was refused, and why, where none has been accepted since. */
  readonly refusal?: string | undefined;
  /** Called before the process is started: what its environment must hold. */
  prepare(): Promise<Readonly<Record<string, string>>>;
  /** Takes over the pipes of the process, and resolves when it can be used. */
  handshake(process: ExtensionProcess): Promise<void>;
  /** Asks it to shut down within `graceMs`, without waiting for that. False when there is nobody to ask. */
  shutdown(graceMs: number): boolean;
  /** Resolves when what the process sent has been taken in and its connection is over. */
  readonly drained: Promise<unknown> | undefined;
  /** Ends the connection: what is still in flight rejects with `reason`. Idempotent. */
  close(reason: ExtensionError): Promise<void>;
}
