import { ExtensionError } from "../rpc/errors.ts";
import type { Peer } from "../rpc/peer.ts";
import { readStatus } from "./checks.ts";
import { type ExtensionStatus, MxMethod } from "./types.ts";

/** How long an extension has to answer `extension.v1.shutdown`, in ms (M-19). */
const SHUTDOWN_TIMEOUT_MS = 2_000;

/** What a session is made on. */
export interface SessionConnection {
  readonly statusTimeoutMs: number;
  whenClosed(): Promise<ExtensionError>;
}

/**
 * The host's side of the connection to one MX extension whose hello was accepted.
 *
 * @example
 * ```ts
 * import { memoryPair, MxClient, MxGate, type MxSession, scalarCodec as codec, testPattern } from "extwire";
 * let session: MxSession | undefined;
 * const gate = new MxGate({ id: "one", codec, vms: testPattern(), onSession: (each) => void (session = each) });
 * const { MX_EXTENSION_TOKEN: token = "" } = gate.environment("127.0.0.1:0");
 * const [host, extension] = memoryPair();
 * gate.attach(host);
 * await MxClient.connect(extension, { id: "one", token, codec, status: () => ({ state: "ready", message: "here" }) });
 * console.log((await session?.reportStatus())?.message); // here
 * await session?.shutdown();
 * await gate.close();
 * ```
 */
export class MxSession {
  /** The extension's id, `-`, and 16 hex digits (M-16). */
  readonly sessionId: string;
  /** The JSON-RPC endpoint, for methods of your own. */
  readonly peer: Peer;
  readonly #connection: SessionConnection;

  /** Made by an `MxGate`. */
  constructor(sessionId: string, peer: Peer, connection: SessionConnection) {
    this.sessionId = sessionId;
    this.peer = peer;
    this.#connection = connection;
  }

  /** Resolves with the reason when the connection has ended, whichever side ended it. Never rejects. */
  get closed(): Promise<ExtensionError> {
    return this.#connection.whenClosed();
  }

  /**
   * Asks the extension for its status (M-17).
   *
   * Rejects with the extension's RpcError, or with an ExtensionError: `timeout` (after 5,000 ms unless the gate says otherwise),
   * `protocol` for an answer that is no status (M-18), or the reason why the connection ended.
   */
  async reportStatus(timeoutMs: number = this.#connection.statusTimeoutMs): Promise<ExtensionStatus> {
    return readStatus(await this.peer.request(MxMethod.reportStatus, null, { timeoutMs }));
  }

  /**
   * Asks the extension to stop. Resolves when it has answered, with any result, or has ended the connection (M-19). Whoever
   * started the process must end it.
   *
   * Rejects with the extension's RpcError, or with an ExtensionError `timeout` after `timeoutMs` (default 2,000).
   */
  async shutdown(timeoutMs: number = SHUTDOWN_TIMEOUT_MS): Promise<void> {
    try {
      await this.peer.request(MxMethod.shutdown, null, { timeoutMs });
    } catch (error) {
      // It left without a word, which is an answer too.
      if (error instanceof ExtensionError && (error.code === "disconnected" || error.code === "exited")) return;
      throw error;
    }
  }

  /** Ends the connection once everything queued is written, at the latest after 1,000 ms. Idempotent. */
  close(reason?: ExtensionError): Promise<void> {
    return this.peer.close(reason);
  }
}
