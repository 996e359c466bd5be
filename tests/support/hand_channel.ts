/** A channel whose other side is the test. */
import type { BinaryMessage, Channel, ChannelReceiver } from "../../src/rpc/channel.ts";
import type { Json } from "./messages.ts";

export class HandChannel implements Channel {
  readonly overheadBytes = 0;
  readonly sent: (string | BinaryMessage)[] = [];
  receiver: ChannelReceiver | undefined;

  open(receiver: ChannelReceiver): void {
    this.receiver = receiver;
  }

  send(message: string | BinaryMessage): void {
    this.sent.push(message);
  }

  room(): undefined {}

  close(): Promise<void> {
    return Promise.resolve();
  }

  setMaxMessageBytes(): void {}

  /** What was sent, read. */
  get messages(): Json[] {
    return this.sent.map((text) => JSON.parse(String(text)));
  }

  /** Delivers `text` as the other side's. */
  says(text: string): void {
    this.receiver?.text(text, 0);
  }
}
