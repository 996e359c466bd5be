/** A pipe over a pair of web streams, for whoever brings a transport as streams. */
import type { Pipe, PipeReceiver } from "./pipe.ts";
import { asError } from "./thrown.ts";

/** Two byte streams, such as those of a socket or a TransformStream. */
export interface StreamPair {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/**
 * Makes a pipe that reads `readable` and writes `writable`, and locks both. The connection ends when either of them breaks.
 * It writes copies, so a stream may keep its chunks or transfer them to another thread.
 *
 * What was written last arrives if closing `writable` ends that direction only. With the streams of `Deno.connect` it ends
 * both, and may cut off what is on its way: `extwire/node` has sockets for Deno that wait.
 *
 * @throws TypeError for a stream that is already locked
 *
 * @example
 * ```ts
 * import { Peer, pipeChannel, scalarCodec, streamPipe } from "extwire";
 * const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
 * const peer = new Peer(pipeChannel(streamPipe({ readable, writable }), scalarCodec, "lines"), { request: () => "pong" });
 * // It talks with itself.
 * console.log(await peer.request("ping")); // pong
 * await peer.close();
 * ```
 */
export function streamPipe(pair: StreamPair): Pipe {
  return new StreamPipe(pair);
}

class StreamPipe implements Pipe {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #ended = false;

  constructor(pair: StreamPair) {
    // Both are looked at before either is taken.
    for (const side of ["readable", "writable"] as const) {
      if (pair[side].locked) throw new TypeError(`the ${side} stream is locked: release it first`);
    }
    this.#reader = pair.readable.getReader();
    this.#writer = pair.writable.getWriter();
  }

  open(receiver: PipeReceiver): void {
    const end = (error?: Error) => {
      if (this.#ended) return;
      this.#ended = true;
      receiver.end(error);
    };
    const fail = (error: unknown) => end(asError(error));
    // A write that was taken may fail later: nobody waits for it then.
    this.#writer.closed.catch(fail);
    this.#read(receiver).then(() => end(), fail);
  }

  async write(chunks: readonly Uint8Array[]): Promise<void> {
    // One after the other, so that there is only one copy at a time. `slice` of a Buffer would be none.
    for (const chunk of chunks) await this.#writer.write(new Uint8Array(chunk));
  }

  async end(): Promise<void> {
    await this.#writer.close().catch(() => {});
  }

  destroy(): void {
    this.#ended = true;
    const why = new Error("the connection was closed");
    this.#writer.abort(why).catch(() => {});
    this.#reader.cancel(why).catch(() => {});
  }

  async #read(receiver: PipeReceiver): Promise<void> {
    for (;;) {
      const { value, done } = await this.#reader.read();
      if (done || this.#ended) return;
      receiver.data(value);
    }
  }
}
