/** The answers to one batch, which leave together. */
import { byteLength } from "./bytes.ts";
import type { Channel } from "./channel.ts";
import { ErrorCode } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { errorText, type RequestId } from "./message.ts";

interface Answer {
  readonly id: RequestId | null;
  text: string;
  /** With the comma behind it: to count it anew for each comparison would read all answers again for each that is added. */
  bytes: number;
}

export class Batch {
  readonly #limits: Limits;
  readonly #channel: Channel;
  /** Undefined when not even errors have room. */
  #answers: Answer[] | undefined = [];
  /** One more than the answers owed, until all entries were seen. */
  #open = 1;
  /** Of the message that the answers are so far, as the limit counts them. */
  #bytes: number;

  constructor(limits: Limits, channel: Channel) {
    this.#limits = limits;
    this.#channel = channel;
    this.#bytes = 1 + channel.overheadBytes;
  }

  /** Those of one answer, which lies a level deeper than one that is alone. */
  get limits(): Limits {
    return { ...this.#limits, maxDepth: this.#limits.maxDepth - 1 };
  }

  expect(): void {
    this.#open++;
  }

  add(id: RequestId | null, text: string): void {
    const bytes = sizeOf(text);
    this.#bytes += bytes;
    this.#answers?.push({ id, text, bytes });
    this.#shorten();
    this.done();
  }

  done(): void {
    if (--this.#open > 0) return;
    if (this.#answers === undefined) this.#channel.send(this.#tooLong(null));
    else if (this.#answers.length > 0) this.#channel.send(`[${this.#answers.map(({ text }) => text).join(",")}]`);
  }

  /** Together the answers are one message: the longest of one that is too long become errors. */
  #shorten(): void {
    while (this.#answers && this.#bytes > this.#limits.maxMessageBytes) {
      const longest = this.#answers.reduce((most, each) => (each.bytes > most.bytes ? each : most));
      const text = this.#tooLong(longest.id);
      const bytes = sizeOf(text);
      if (bytes >= longest.bytes) this.#answers = undefined;
      this.#bytes += bytes - longest.bytes;
      Object.assign(longest, { text, bytes });
    }
  }

  #tooLong(id: RequestId | null): string {
    const { maxMessageBytes } = this.#limits;
    const message = `together, the answers to the batch exceed maxMessageBytes (${maxMessageBytes} bytes)`;
    return errorText(id, { code: ErrorCode.internalError, message });
  }
}

function sizeOf(text: string): number {
  return byteLength(text) + 1;
}
