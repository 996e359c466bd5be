/** The answers to one batch, which leave together. */
import { byteLength } from "./bytes.ts";
import type { Channel } from "./channel.ts";
import { ErrorCode } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { errorText, type RequestId } from "./message.ts";

interface Answer {
  readonly id: RequestId | null;
  text: string;
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
    this.#bytes += sizeOf(text);
    this.#answers?.push({ id, text });
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
      const longest = this.#answers.reduce((most, each) => (sizeOf(each.text) > sizeOf(most.text) ? each : most));
      const instead = this.#tooLong(longest.id);
      const saved = sizeOf(longest.text) - sizeOf(instead);
      if (saved <= 0) this.#answers = undefined;
      longest.text = instead;
      this.#bytes -= saved;
    }
  }

  #tooLong(id: RequestId | null): string {
    const { maxMessageBytes } = this.#limits;
    const message = `the answers to the batch are longer than maxMessageBytes, ${maxMessageBytes} bytes, together`;
    return errorText(id, { code: ErrorCode.internalError, message });
  }
}

/** With the comma behind it. */
function sizeOf(text: string): number {
  return byteLength(text) + 1;
}
