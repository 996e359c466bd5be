/** Two linked channels in one process: for tests, in-process extensions, and runtimes that can start no process. */
import { byteLength, isLonger, joined, messageSize } from "./bytes.ts";
import type { BinaryMessage, Channel, ChannelReceiver } from "./channel.ts";
import { deferred } from "./deferred.ts";
import { ExtensionError } from "./errors.ts";
import { type GivenLimits, type Limits, withDefaultLimits } from "./limits.ts";

class MemoryChannel implements Channel {
  readonly overheadBytes = 0;
  /** Set by `memoryPair`. */
  declare other: MemoryChannel;
  readonly #receiver = deferred<ChannelReceiver>();
  #closed = false;
  #maxMessageBytes: number;
  #limitName = "maxMessageBytes";
  #offset = 0;

  constructor({ maxMessageBytes }: Limits) {
    this.#maxMessageBytes = maxMessageBytes;
  }

  open(receiver: ChannelReceiver): void {
    this.#receiver.resolve(receiver);
  }

  send(message: string | BinaryMessage, done?: (written: boolean) => void): void {
    if (this.#closed) return done?.(false);
    // What is delivered later must not change with the sender's memory.
    this.other.accept(typeof message === "string" ? message : [joined(message)]);
    done?.(true);
  }

  room(): undefined {
    return undefined;
  }

  close(): Promise<void> {
    if (!this.#closed) this.other.accept(null);
    this.#closed = true;
    return Promise.resolve();
  }

  setMaxMessageBytes(bytes: number, limitName = "maxMessageBytes"): void {
    this.#maxMessageBytes = bytes;
    this.#limitName = limitName;
  }

  /** Null is the end. */
  accept(message: string | BinaryMessage | null): void {
    void this.#receiver.promise.then((receiver) => this.#deliver(message, receiver));
  }

  #deliver(message: string | BinaryMessage | null, receiver: ChannelReceiver): void {
    if (this.#closed) return;
    if (message === null) {
      this.#closed = true;
      return receiver.closed();
    }
    if (isLonger(message, this.#maxMessageBytes)) {
      const why = `a message of ${byteLength(message)} bytes exceeds ${this.#limitName} (${this.#maxMessageBytes} bytes)`;
      void this.close();
      return receiver.closed(new ExtensionError("limit", why));
    }
    const offset = this.#offset;
    this.#offset += messageSize(message);
    if (typeof message === "string") receiver.text(message, offset);
    else receiver.binary(message[0] as Uint8Array, offset, () => {});
  }
}

/**
 * Returns two linked channels: what is sent on one arrives on the other, in order, in a later microtask. A message longer than
 * `maxMessageBytes` of `limits` ends the connection with `limit`, as over a pipe.
 *
 * @example
 * ```ts
 * import { memoryPair, Peer } from "extwire";
 * const [left, right] = memoryPair();
 * new Peer(right, { request: () => "pong" });
 * const peer = new Peer(left);
 * console.log(await peer.request("ping")); // pong
 * await peer.close();
 * ```
 */
export function memoryPair(limits?: GivenLimits): [Channel, Channel] {
  const all = withDefaultLimits(limits);
  const [left, right] = [new MemoryChannel(all), new MemoryChannel(all)];
  left.other = right;
  right.other = left;
  return [left, right];
}
