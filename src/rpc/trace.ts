/** What passes over a channel, told as it passes: to see why the other side does not do what was meant. */
import { messageSize } from "./bytes.ts";
import type { BinaryMessage, Channel, ChannelReceiver, Diagnostic } from "./channel.ts";

/** A message that was sent or received: its JSON as it is on the wire, or the size of a binary one. */
export type TracedMessage = { readonly direction: "sent" | "received" } & (
  | { readonly text: string; readonly bytes?: undefined }
  | { readonly text?: undefined; readonly bytes: number }
);

/** Receives every message that passes a traced channel. Must not throw. */
export type Trace = (message: TracedMessage) => void;

/** It is its channel's receiver itself. */
class TracedChannel implements Channel, ChannelReceiver {
  readonly #channel: Channel;
  readonly #trace: Trace;
  #receiver: ChannelReceiver | undefined;

  constructor(channel: Channel, trace: Trace) {
    this.#channel = channel;
    this.#trace = trace;
  }

  get overheadBytes(): number {
    return this.#channel.overheadBytes;
  }

  open(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
    this.#channel.open(this);
  }

  /** Told of once it was written: what waits for a reader who does not read, or was dropped, is not told of. */
  send(message: string | BinaryMessage, done?: (written: boolean) => void): void {
    this.#channel.send(message, (written) => {
      if (written && typeof message === "string") this.#trace({ direction: "sent", text: message });
      else if (written) this.#trace({ direction: "sent", bytes: messageSize(message) });
      done?.(written);
    });
  }

  room(): Promise<void> | undefined {
    return this.#channel.room();
  }

  unfinished(): string | undefined {
    return this.#channel.unfinished?.();
  }

  close(graceMs?: number): Promise<void> {
    return this.#channel.close(graceMs);
  }

  setMaxMessageBytes(bytes: number, limitName?: string): void {
    this.#channel.setMaxMessageBytes(bytes, limitName);
  }

  text(text: string, offset: number): void {
    this.#trace({ direction: "received", text });
    this.#receiver?.text(text, offset);
  }

  binary(body: Uint8Array, offset: number, recycle: () => void): void {
    this.#trace({ direction: "received", bytes: body.length });
    this.#receiver?.binary(body, offset, recycle);
  }

  diagnostic(diagnostic: Diagnostic): void {
    this.#receiver?.diagnostic(diagnostic);
  }

  closed(error?: Error): void {
    this.#receiver?.closed(error);
  }
}

/** The message with another text, where it has one. */
export function withText(message: TracedMessage, change: (text: string) => string): TracedMessage {
  return message.text === undefined ? message : { ...message, text: change(message.text) };
}

/**
 * Wraps a channel so that it reports every whole message to `trace`: a received one before it is checked, a sent one once it
 * is written. The MX hello contains the token: unlike the `trace` option of `Host`, this does not remove it.
 *
 * @example
 * ```ts
 * import { memoryPair, Peer, traceChannel } from "extwire";
 * const [left, right] = memoryPair();
 * new Peer(right, { request: () => "pong" });
 * const seen: string[] = [];
 * const peer = new Peer(traceChannel(left, ({ direction, text }) => void seen.push(`${direction} ${text}`)));
 * await peer.request("ping");
 * console.log(seen[1]); // received {"jsonrpc":"2.0","id":1,"result":"pong"}
 * await peer.close();
 * ```
 */
export function traceChannel(channel: Channel, trace: Trace): Channel {
  return new TracedChannel(channel, trace);
}
