/** The extension's side of MX v1, over any channel. */
import type { Codec } from "../../codec/codec.ts";
import type { Channel, Diagnostic } from "../rpc/channel.ts";
import { deferred } from "../rpc/deferred.ts";
import { ExtensionError, methodNotFound, RpcError } from "../rpc/errors.ts";
import { LazyAbort } from "../rpc/lazy_abort.ts";
import { type GivenLimits, type Limits, withDefaultLimits } from "../rpc/limits.ts";
import { Peer } from "../rpc/peer.ts";
import { hookFailed, messageOf } from "../rpc/thrown.ts";
import { nextTurn } from "../rpc/turn.ts";
import { type Attachment, readAttachment, unexpectedAttachment } from "./attachment.ts";
import { readHelloResult, readReport, readVms } from "./checks.ts";
import { type CallOptions, type CapturedFramebuffer, FramebufferCalls } from "./framebuffer_calls.ts";
import { withoutSecret } from "./token.ts";
import {
  type ExtensionState,
  type ExtensionStatus,
  type HelloResult,
  MX_PROTOCOL_VERSION,
  MxMethod,
  type Vm,
} from "./types.ts";

export type { CallOptions, CapturedFramebuffer } from "./framebuffer_calls.ts";

/** What an extension reports about itself; the client adds the rest of an `ExtensionStatus`. */
export interface StatusReport {
  readonly state: ExtensionState;
  /** For a person to read. */
  readonly message: string;
}

/** Who the extension is, what it answers its host, and its timeouts and limits. */
export interface MxClientOptions {
  /** The values of the environment variables that the host sets, see `MxVariable` (M-20). */
  readonly id: string;
  readonly token: string;
  /** Default 1, the only version there is (M-12). */
  readonly protocol?: number | undefined;
  /** Converts the pixels of framebuffers. */
  readonly codec: Codec;
  /**
   * Called when the host asks for the status; if it throws, the state `failed` is reported. Default: what `setStatus` was given
   * last, and `ready` before that.
   */
  readonly status?: (() => StatusReport | Promise<StatusReport>) | undefined;
  /** Cleans up before the answer to `extension.v1.shutdown`; the host waits 2 s for it (M-19). */
  readonly onShutdown?: (() => void | Promise<void>) | undefined;
  /** The extension's own version. Default `0.0.0`. */
  readonly version?: string | undefined;
  /** Default: the host's capabilities (M-18). */
  readonly capabilities?: readonly string[] | undefined;
  /** The timeout of the hello, in ms. Default 10,000. */
  readonly handshakeTimeoutMs?: number | undefined;
  /** The timeout of calls that have none of their own, in ms; 0 means none. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  readonly limits?: GivenLimits | undefined;
  /** Called when something arrived that was no message, or that was skipped. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/** The extension's side of an MX connection, made by `MxClient.connect`. */
export class MxClient {
  /** The JSON-RPC endpoint, for methods of your own. */
  readonly peer: Peer;
  /** Resolves with the reason when the connection has ended, whichever side ended it. Never rejects. */
  readonly closed: Promise<ExtensionError>;
  readonly #options: MxClientOptions;
  readonly #limits: Limits;
  readonly #framebuffers: FramebufferCalls;
  readonly #greeted: Promise<void>;
  /** What the host answered to the hello; undefined before. */
  #welcome: HelloResult | undefined;
  #status: StatusReport = { state: "ready", message: "" };
  #stopping: Promise<null> | undefined;
  readonly #stopped = new LazyAbort();

  /**
   * Says hello and resolves once the host has accepted it. Otherwise rejects with an ExtensionError `handshake-failed` that
   * says why, and closes the channel.
   *
   * @example
   * ```ts
   * import { memoryPair, MxClient, MxGate, scalarCodec as codec, testPattern } from "extwire";
   * const gate = new MxGate({ id: "com.example.one", codec, vms: testPattern(), onSession() {} });
   * const { MX_EXTENSION_TOKEN: token = "" } = gate.environment("127.0.0.1:0"); // as the extension's process finds it
   * const [host, extension] = memoryPair();
   * gate.attach(host);
   * const client = await MxClient.connect(extension, { id: "com.example.one", token, codec });
   * console.log((await client.listVms()).map(({ id }) => id)); // ["demo"]
   * await gate.close();
   * ```
   */
  static async connect(channel: Channel, options: MxClientOptions): Promise<MxClient> {
    const client = new MxClient(channel, options);
    await client.#greeted;
    return client;
  }

  private constructor(channel: Channel, options: MxClientOptions) {
    this.#options = options;
    this.#limits = withDefaultLimits(options.limits);
    const closed = deferred<ExtensionError>();
    this.closed = closed.promise;
    channel.setMaxMessageBytes(this.#limits.maxHelloBytes, "maxHelloBytes");
    this.peer = new Peer(
      channel,
      {
        request: (method) => this.#request(method),
        binary: (body, offset, recycle) => this.#binary(body, offset, recycle),
        diagnostic: options.onDiagnostic,
        error: (error) => options.onDiagnostic?.(hookFailed(error)),
        closed: (reason) => {
          this.#stopped.abort(reason);
          closed.resolve(reason);
        },
      },
      {
        limits: this.#limits,
        timeoutMs: options.timeoutMs,
        batches: false,
        secret: (text) => text.includes(options.token),
      },
    );
    this.#framebuffers = new FramebufferCalls(this.peer, options.codec, this.#limits.maxWaitingAttachmentBytes);
    this.#greeted = this.#greet();
  }

  /** The id that the host gave the session (M-16). */
  get sessionId(): string {
    return this.#welcome?.sessionId ?? "";
  }

  /** What the host offers (M-16). */
  get hostCapabilities(): readonly string[] {
    return this.#welcome?.hostCapabilities ?? [];
  }

  /** Aborted when the host asks for a shutdown, and when the connection ends. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  /** Sets the status that the host is told when it asks, unless `status` was given. Throws a TypeError for an invalid status. */
  setStatus(status: StatusReport): void {
    this.#status = readReport(status);
  }

  /** Returns the host's VMs (M-21). Rejects with the host's RpcError, or with an ExtensionError as `Peer.request` does. */
  async listVms(options: CallOptions = {}): Promise<readonly Vm[]> {
    return readVms(await this.peer.request(MxMethod.listVms, undefined, options));
  }

  /**
   * Captures what a VM shows now, as RGBA without padding.
   *
   * Rejects with the host's RpcError (-32602 for an unknown VM), or with an ExtensionError: `timeout`, `protocol` (the bytes
   * do not match the result), `limit`, or the reason why the connection ended.
   */
  captureFramebuffer(vmId: string, options?: CallOptions): Promise<CapturedFramebuffer> {
    return this.#framebuffers.capture(vmId, options);
  }

  /** Ends the connection once everything queued is written, at the latest after 1,000 ms. Idempotent. */
  close(reason?: ExtensionError): Promise<void> {
    return this.peer.close(reason);
  }

  async #greet(): Promise<void> {
    const { id, token, protocol = MX_PROTOCOL_VERSION, handshakeTimeoutMs = 10_000 } = this.#options;
    try {
      if (protocol !== MX_PROTOCOL_VERSION) {
        throw new ExtensionError(
          "handshake-failed",
          `the host speaks protocol version ${protocol}; this extension speaks version ${MX_PROTOCOL_VERSION}`,
        );
      }
      const params = { token, protocolVersion: protocol, extensionId: id };
      // Never cancelled on the wire, see C4: a timeout ends the connection.
      // Read as it arrives: what stands right behind it is past the handshake already.
      const parse = (result: unknown) => this.#welcomed(readHelloResult(result));
      await this.peer.request(MxMethod.hello, params, { timeoutMs: handshakeTimeoutMs, parse });
    } catch (cause) {
      const failure = this.#handshakeFailed(cause);
      void this.peer.close(failure);
      throw failure;
    }
  }

  #welcomed(welcome: HelloResult): void {
    const { protocolVersion } = welcome;
    if (protocolVersion !== MX_PROTOCOL_VERSION) {
      throw new ExtensionError("protocol", `the host answered with protocol version ${protocolVersion}`);
    }
    this.#welcome = welcome;
    this.peer.setMaxMessageBytes(this.#limits.maxMessageBytes);
  }

  /** A host may quote the hello in its answer: the cause, which would carry that on, goes in as text without the token. */
  #handshakeFailed(cause: unknown): ExtensionError {
    const said = cause instanceof RpcError ? `the host refused it: ${cause.message} (${cause.code})` : messageOf(cause);
    const text = withoutSecret(said, this.#options.token);
    const { id } = this.#options;
    const details = { cause: text === said ? cause : undefined, extension: id };
    return new ExtensionError("handshake-failed", `hello as ${id} failed: ${text}`, details);
  }

  #request(method: string): unknown {
    if (method !== MxMethod.reportStatus && method !== MxMethod.shutdown) {
      throw methodNotFound(method);
    }
    const serve = () => (method === MxMethod.reportStatus ? this.#reportStatus() : this.#shutdown());
    // The answer to the hello may have come just before, in the same chunk: its promise is settled a little later.
    return this.#welcome ? serve() : this.#greeted.then(serve);
  }

  async #reportStatus(): Promise<ExtensionStatus> {
    const { status, version = "0.0.0", capabilities = this.hostCapabilities } = this.#options;
    const { state, message } = await reportOf(status ?? (() => this.#status));
    return { state, message, version, protocolVersion: MX_PROTOCOL_VERSION, capabilities };
  }

  /** The answer says that the cleaning up is done; then the connection ends (M-19). */
  #shutdown(): Promise<null> {
    this.#stopping ??= (async () => {
      const reason = new ExtensionError("closed", "the host asked for a shutdown");
      this.#stopped.abort(reason);
      try {
        await this.#options.onShutdown?.();
      } finally {
        nextTurn(() => void this.peer.close(reason));
      }
      return null;
    })();
    return this.#stopping;
  }

  #binary(body: Uint8Array, offset: number, recycle: () => void): void {
    let attachment: Attachment;
    try {
      attachment = readAttachment(body, offset);
    } catch (error) {
      recycle();
      void this.peer.close(error as ExtensionError);
      return;
    }
    if (this.#framebuffers.take(attachment, recycle)) return;
    this.#options.onDiagnostic?.(unexpectedAttachment(attachment));
  }
}

async function reportOf(status: () => StatusReport | Promise<StatusReport>): Promise<StatusReport> {
  try {
    return readReport(await status());
  } catch (error) {
    if (error instanceof RpcError) throw error;
    return { state: "failed", message: messageOf(error) };
  }
}
