/** The two error families. They never mix: an RpcError crosses the wire, an ExtensionError stays on this side. */
import { defined } from "./defined.ts";

/** The JSON-RPC error codes that the two protocols name (D-10, M-07). */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** MX calls this an application error; in Dhara, -32000 to -32099 are the extension's own. */
  applicationError: -32000,
} as const;

/**
 * A JSON-RPC error: the other side's answer to a request, or thrown by a handler to answer with it.
 *
 * @example
 * ```ts
 * import { ErrorCode, memoryPair, Peer, RpcError } from "extwire";
 * const [left, right] = memoryPair();
 * new Peer(right, {
 *   request() {
 *     throw new RpcError(ErrorCode.invalidParams, "Missing required parameter 'url'", { toolName: "fetch_url" });
 *   },
 * });
 * const peer = new Peer(left);
 * const error = await peer.request("tools/execute").catch((error: unknown) => error);
 * if (error instanceof RpcError) console.log(error.code, error.data); // -32602 { toolName: "fetch_url" }
 * await peer.close();
 * ```
 */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  declare readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

/** What a request for something that is not there is answered with. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(ErrorCode.methodNotFound, `method not found: ${method}`);
}

/** What a request that comes out of order is answered with. */
export function invalidRequest(message: string): RpcError {
  return new RpcError(ErrorCode.invalidRequest, message);
}

/** What a request with params that do not fit is answered with. */
export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(ErrorCode.invalidParams, message, data);
}

/** An error that the other side answered, in words, with the question: `answered initialize with the error -32000: no`. */
export function answeredWith(method: string, { code, message }: RpcError): string {
  return `answered ${method} with the error ${code}: ${message}`;
}

/** Stable codes of errors on this side of the wire. */
export type ExtensionErrorCode =
  /** No answer in time (D-13). */
  | "timeout"
  /** The process ended with calls in flight. */
  | "exited"
  /** The command could not be started, or died before its handshake. */
  | "start-failed"
  /** The handshake was answered with an error, or not understood, or not in time. */
  | "handshake-failed"
  /** A limit of X-06 was exceeded; the message names it. */
  | "limit"
  /** The other side broke the protocol in an answer or a frame. */
  | "protocol"
  /** This side closed the connection, or stopped the extension. */
  | "closed"
  /** The other side closed the connection. */
  | "disconnected"
  /** No tool, or no extension, of that name; the message may say which was meant. */
  | "unknown-tool"
  /** An invalid manifest; the message has the file, line and field. */
  | "bad-manifest"
  /** A schema that is not valid, or that can't be checked. */
  | "bad-schema"
  /** A value that can't be expressed in JSON. */
  | "not-serializable"
  /** Failed 5 times in a row and is not started again. */
  | "failed";

/** What is known of an error besides its code and message. */
export interface ExtensionErrorDetails {
  readonly cause?: unknown;
  /** The id of the extension it happened to. */
  readonly extension?: string | undefined;
  /** The last lines the extension wrote to stderr. */
  readonly stderr?: string | undefined;
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
}

/**
 * An error on this side of the wire. `code` is stable; the message says what happened, where, and what to do.
 *
 * @example
 * ```ts
 * import { ExtensionError, memoryPair, Peer } from "extwire";
 * const [left, right] = memoryPair();
 * new Peer(right, { request: () => new Promise(() => {}) });
 * const peer = new Peer(left);
 * const error = await peer.request("slow", null, { timeoutMs: 10 }).catch((error: unknown) => error);
 * if (error instanceof ExtensionError) console.log(error.code); // timeout
 * await peer.close();
 * ```
 */
export class ExtensionError extends Error {
  override readonly name = "ExtensionError";
  readonly code: ExtensionErrorCode;
  // Declared, not made: a runtime that shows an error nobody caught would list each one that is undefined.
  declare readonly extension: string | undefined;
  declare readonly stderr: string | undefined;
  declare readonly exitCode: number | null | undefined;
  declare readonly signal: string | null | undefined;

  constructor(code: ExtensionErrorCode, message: string, details: ExtensionErrorDetails = {}) {
    const known = defined(details);
    // An Error takes the cause out of it, as a member that nobody lists: to assign that once more leaves it so.
    super(message, known);
    this.code = code;
    Object.assign(this, known);
  }
}

/** Why a connection ended that nobody closed on this side. `cause` is undefined when the other side ended without a fault. */
export function connectionEnded(cause: Error | undefined): ExtensionError {
  if (cause instanceof ExtensionError) return cause;
  return new ExtensionError(
    "disconnected",
    cause ? `the connection broke: ${cause.message}` : "the other side closed the connection",
    { cause },
  );
}
