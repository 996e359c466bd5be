/** One symmetric JSON-RPC 2.0 endpoint over a channel: it asks, answers and notifies, and both sides are alike. */
import { Answerer } from "./answerer.ts";
import type { BinaryMessage, Channel } from "./channel.ts";
import { ExtensionError } from "./errors.ts";
import { type Limits, withDefaultLimits } from "./limits.ts";
import { OutgoingRequests, type RequestOptions } from "./outgoing.ts";
import { DEFAULT_TIMEOUT_MS, type PeerHandlers, type PeerOptions } from "./peer_options.ts";
import { silent } from "./silent.ts";
import { checkBinary } from "./writable.ts";

export type { RequestContext, RequestHandler } from "./incoming.ts";
export type { RequestOptions } from "./outgoing.ts";
export type { PeerHandlers, PeerOptions } from "./peer_options.ts";

/**
 * One end of a JSON-RPC connection. Both ends can send and answer requests.
 *
 * @example
 * ```ts
 * import { memoryPair, Peer } from "extwire";
 * const [left, right] = memoryPair();
 * new Peer(right, { request: (method, params) => ({ method, params }) });
 * const peer = new Peer(left);
 * console.log(await peer.request("echo", { n: 1 })); // { method: "echo", params: { n: 1 } }
 * await peer.close();
 * ```
 */
export class Peer extends Answerer {
  readonly #channel: Channel;
  readonly #limits: Limits;
  readonly #outgoing: OutgoingRequests;

  constructor(channel: Channel, handlers: PeerHandlers = {}, options: PeerOptions = {}) {
    const limits = withDefaultLimits(options.limits);
    const outgoing = new OutgoingRequests(channel, handlers, limits, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    super(channel, handlers, options, outgoing);
    this.#channel = channel;
    this.#limits = limits;
    this.#outgoing = outgoing;
  }

  /** How many of our requests have no answer yet. */
  get pending(): number {
    return this.#outgoing.size;
  }

  /**
   * Sends a request, and resolves with the `result` of the answer. If `maxInFlight` requests are in flight, or the write queue is full,
   * the request first waits for a place. `params` are read when it is sent.
   *
   * Rejects with the other side's RpcError; with an ExtensionError `timeout`, `protocol`, `limit`, `not-serializable`, `closed`,
   * `disconnected`, or what `explain` returned; or with `signal.reason`.
   */
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown> {
    return this.#outgoing.request(method, params, options);
  }

  /**
   * Sends a binary message, its parts one after the other, without a copy: they must not change until the promise settles.
   * The promise resolves when they were written. It rejects with `limit`, or if the connection ended before; a rejection that
   * nobody handles does no harm.
   */
  sendBinary(message: BinaryMessage): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      checkBinary(message, "a binary message", this.#limits, this.#channel);
      this.#channel.send(message, (done) => {
        if (done) resolve();
        else reject(new ExtensionError("closed", "a binary message was not written: the connection has ended"));
      });
    });
    return silent(written);
  }

  /** Changes the size limit of messages that arrive from now on. */
  setMaxMessageBytes(bytes: number, limitName?: string): void {
    this.#channel.setMaxMessageBytes(bytes, limitName);
  }
}
