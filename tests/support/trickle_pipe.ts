import assert from "node:assert/strict";
import type { Pipe, PipeReceiver } from "../../src/rpc/pipe.ts";
import { nextTurn } from "../../src/rpc/turn.ts";

/** A pipe whose other end gets at most `size` bytes a turn; a write that comes before the last one is through fails the test. */
class TricklePipe implements Pipe {
  other: TricklePipe | undefined;
  readonly #size: number;
  #receiver: PipeReceiver | undefined;
  #arrived: Uint8Array[] = [];
  #writing = false;
  #ended = false;
  /** Writes that were made. */
  writes = 0;

  constructor(size: number) {
    this.#size = size;
  }

  open(receiver: PipeReceiver): void {
    queueMicrotask(() => {
      this.#receiver = receiver;
      for (const bytes of this.#arrived) receiver.data(bytes);
      this.#arrived = [];
      if (this.#ended) receiver.end();
    });
  }

  write(chunks: readonly Uint8Array[]): Promise<void> | undefined {
    assert.equal(this.#writing, false, "one write at a time");
    this.#writing = true;
    this.writes++;
    return (async () => {
      for (const chunk of chunks) {
        for (let at = 0; at < chunk.length; at += this.#size) {
          await new Promise<void>((resolve) => nextTurn(resolve));
          // Looked at only now: whoever changes bytes before the write has settled changes what arrives.
          this.other?.take(chunk.slice(at, at + this.#size));
        }
      }
      this.#writing = false;
    })();
  }

  end(): Promise<void> {
    this.other?.finish();
    return Promise.resolve();
  }

  destroy(): void {
    this.other?.finish();
  }

  take(bytes: Uint8Array): void {
    if (this.#receiver) this.#receiver.data(bytes);
    else this.#arrived.push(bytes);
  }

  finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#receiver?.end();
  }
}

export function tricklePair(size: number): [TricklePipe, TricklePipe] {
  const pair: [TricklePipe, TricklePipe] = [new TricklePipe(size), new TricklePipe(size)];
  pair[0].other = pair[1];
  pair[1].other = pair[0];
  return pair;
}
