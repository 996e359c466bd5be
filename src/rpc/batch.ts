/** The answers to one batch, which leave together. */
import { ErrorCode } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { errorText, type RequestId } from "./message.ts";
import { utf8Length } from "./writable.ts";

/** `bytes` with the comma behind it. */
interface Answer {
  readonly id: RequestId | null;
  readonly text: string;
  readonly bytes: number;
}

export class Batch {
  readonly #limits: Limits;
  readonly #send: (text: string) => void;
  readonly #answers: Answer[] = [];
  /** One more than the answers owed, until all entries were seen. */
  #open = 1;
  /** Of the message that the answers are so far. */
  #bytes = 1;
  /** Not even errors have room. */
  #full = false;

  constructor(limits: Limits, send: (text: string) => void) {
    this.#limits = limits;
    this.#send = send;
  }

  /** Those of one answer, which lies a level deeper than one that is alone. */
  get limits(): Limits {
    return { ...this.#limits, maxDepth: this.#limits.maxDepth - 1 };
  }

  expect(): void {
    this.#open++;
  }

  /** Together the answers are one message: one that would make it too long is an error instead. */
  add(id: RequestId | null, text: string): void {
    if (!this.#full && !this.#keep(id, text)) this.#keepError(id);
    this.done();
  }

  done(): void {
    if (--this.#open > 0) return;
    if (this.#full) this.#send(this.#tooLong(null));
    else if (this.#answers.length > 0) this.#send(`[${this.#answers.map(({ text }) => text).join(",")}]`);
  }

  #keep(id: RequestId | null, text: string): boolean {
    const bytes = utf8Length(text) + 1;
    if (this.#bytes + bytes >= this.#limits.maxMessageBytes) return false;
    this.#bytes += bytes;
    this.#answers.push({ id, text, bytes });
    return true;
  }

  /** The longest answer makes room where there is none. */
  #keepError(id: RequestId | null): void {
    if (this.#keep(id, this.#tooLong(id))) return;
    const longest = this.#answers.reduce(
      (most, { bytes }, at, all) => (bytes > (all[most]?.bytes ?? 0) ? at : most),
      0,
    );
    const [given] = this.#answers.splice(longest, 1);
    this.#bytes -= given?.bytes ?? 0;
    const fits =
      given !== undefined && this.#keep(given.id, this.#tooLong(given.id)) && this.#keep(id, this.#tooLong(id));
    if (fits) return;
    this.#full = true;
    this.#answers.length = 0;
  }

  #tooLong(id: RequestId | null): string {
    const { maxMessageBytes } = this.#limits;
    const message = `the answers to the batch are longer than maxMessageBytes, ${maxMessageBytes} bytes, together`;
    return errorText(id, { code: ErrorCode.internalError, message });
  }
}
