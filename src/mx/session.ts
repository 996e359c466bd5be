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
 * One extension that said hello, as its host sees it.
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
  /** For methods beyond these. */
  readonly peer: Peer;
  readonly #connection: SessionConnection;

  /** Made by an `MxGate`. */
  constructor(sessionId: string, peer: Peer, connection: SessionConnection) {
    this.sessionId = sessionId;
    this.peer = peer;
    this.#connection = connection;
  }

  /** Resolves with the reason when the connection has ended, whoever ended it. Never rejects. */
  get closed(): Promise<ExtensionError> {
    return this.#connection.whenClosed();
  }

  /**
   * Asks how the extension is doing (M-17). Rejects with an RpcError it answered, or an ExtensionError `timeout`
   * (after 5,000 ms unless the gate says otherwise), `protocol` for an answer that is no status (M-18), or the end of the connection.
   */
  async reportStatus(timeoutMs: number = this.#connection.statusTimeoutMs): Promise<ExtensionStatus> {
    return readStatus(await this.peer.request(MxMethod.reportStatus, null, { timeoutMs }));
  }

  /**
   * Asks the extension to stop, and resolves when it has answered, whatever the result, or has ended the connection (M-19).
   * Rejects with an RpcError it answered, or an ExtensionError `timeout` after `timeoutMs` (default 2,000).
   * Ending the process is up to whoever started it.
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

  /** Ends the connection, once what is queued was written or 1,000 ms have passed. Idempotent. */
  close(reason?: ExtensionError): Promise<void> {
    return this.peer.close(reason);
  }
}
