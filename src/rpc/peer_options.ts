/** What a peer is made with. */
import type { Diagnostic } from "./channel.ts";
import type { ExtensionError } from "./errors.ts";
import type { RequestHandler } from "./incoming.ts";
import type { GivenLimits } from "./limits.ts";

/** What a peer does with what arrives. Every member may be left out. */
export interface PeerHandlers {
  /**
   * Answers a request with what it returns or resolves to. If it throws an RpcError, that is the answer; any other error is
   * answered with -32603. Without this handler every method is answered with -32601.
   */
  readonly request?: RequestHandler | undefined;
  /** Receives a notification. What it throws, or rejects with, goes to `error`: a notification is never answered (D-05). */
  readonly notification?: ((method: string, params: unknown) => unknown) | undefined;
  /** Receives a binary message. `body` belongs to the receiver, unless it calls `recycle` to return the memory. */
  readonly binary?: ((body: Uint8Array, offset: number, recycle: () => void) => void) | undefined;
  /** Called when something arrived that is no message, or answers no request. The connection goes on. */
  readonly diagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Called when a notification handler or another hook threw. The connection goes on. */
  readonly error?: ((error: unknown) => void) | undefined;
  /** Called once when the connection has ended, after everything in flight was rejected with `reason`. */
  readonly closed?: ((reason: ExtensionError) => void) | undefined;
}

/** For requests that name no time of their own (D-13). */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** Timeouts, limits, and the options by which the two protocols differ. */
export interface PeerOptions {
  /** Here `maxMessageBytes` holds for what is written; for what is read, the limit of the channel holds. */
  readonly limits?: GivenLimits | undefined;
  /** The timeout of requests that have none of their own, in ms; 0 means none. Default 30,000 (D-13). */
  readonly timeoutMs?: number | undefined;
  /** Answer an array as a JSON-RPC batch (Dhara), or refuse it with -32600 (MX). Default true. */
  readonly batches?: boolean | undefined;
  /** Answer invalid messages with -32700 or -32600. False for a host that reads an extension's stdout. Default true. */
  readonly answersInvalid?: boolean | undefined;
  /** Returns true if a text may contain a secret: then no diagnostic, error or answer quotes any of it. Default: no text does. */
  readonly secret?: ((text: string) => boolean) | undefined;
  /** Removes a secret from a text before anything reads it: the other side may repeat it in an answer, a status or an error. */
  readonly redact?: ((text: string) => string) | undefined;
  /** How long to go on writing what is queued after the other side has ended its direction, in ms. Default 1,000. */
  readonly flushMs?: number | undefined;
  /**
   * Returns the error with which everything in flight rejects when the connection ends; it may wait for an exit code.
   * `cause` is undefined if the other side ended without a fault.
   */
  readonly explain?: ((cause: Error | undefined) => ExtensionError | Promise<ExtensionError>) | undefined;
}
