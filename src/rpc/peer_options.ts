/** What a peer is made with. */
import type { Diagnostic } from "./channel.ts";
import type { ExtensionError } from "./errors.ts";
import type { RequestHandler } from "./incoming.ts";
import type { GivenLimits } from "./limits.ts";

/** What a peer does with what arrives. Every member may be left out. */
export interface PeerHandlers {
  /**
   * Answers a request with what it returns or resolves to. An RpcError it throws is answered as it is,
   * anything else as -32603. Without a handler every method is -32601.
   */
  readonly request?: RequestHandler | undefined;
  /** What it throws, or rejects with, goes to `error`: a notification is never answered (D-05). */
  readonly notification?: ((method: string, params: unknown) => unknown) | undefined;
  /** A binary message. `recycle` gives the memory of `body` back; without the call it is the receiver's for good. */
  readonly binary?: ((body: Uint8Array, offset: number, recycle: () => void) => void) | undefined;
  /** Something arrived that is no message, or answers nothing. It cost nothing else. */
  readonly diagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** A notification handler or another hook threw. The connection goes on. */
  readonly error?: ((error: unknown) => void) | undefined;
  /** The connection ended. Called once, when everything in flight has been rejected with `reason`. */
  readonly closed?: ((reason: ExtensionError) => void) | undefined;
}

/** For requests that name no time of their own (D-13). */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** Times, limits, and how the two protocols differ. */
export interface PeerOptions {
  /** `maxMessageBytes` is that of what is written: what is read keeps the one that its channel was made with. */
  readonly limits?: GivenLimits | undefined;
  /** For requests that name none of their own, in ms. 0 means no timeout. Default 30,000 (D-13). */
  readonly timeoutMs?: number | undefined;
  /** Answer an array as a JSON-RPC batch (Dhara), or refuse it with -32600 (MX). Default true. */
  readonly batches?: boolean | undefined;
  /** Answer what is no valid request with -32700 or -32600; false for a host that reads an extension's stdout. Default true. */
  readonly answersInvalid?: boolean | undefined;
  /** Says that a text may hold a secret: then no diagnostic, error or answer quotes any of it. Default: none does. */
  readonly secret?: ((text: string) => boolean) | undefined;
  /** Blots a secret out of a text before anything reads it: the other side may say it in an answer, a status or an error. */
  readonly redact?: ((text: string) => string) | undefined;
  /** How long what is queued may take to leave once the other side has ended its direction, in ms. Default 1,000. */
  readonly flushMs?: number | undefined;
  /**
   * Turns the end of the connection into the error that everything in flight rejects with; it may wait for an exit code.
   * `cause` is undefined when the other side ended without a fault.
   */
  readonly explain?: ((cause: Error | undefined) => ExtensionError | Promise<ExtensionError>) | undefined;
}
