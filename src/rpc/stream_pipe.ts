/** A pipe over a pair of web streams, for whoever brings a transport as streams. */
import type { Pipe, PipeReceiver } from "./pipe.ts";
import { asError } from "./thrown.ts";

/** Two byte streams, as a socket or a TransformStream has them. */
export interface StreamPair {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/**
 * A pipe that reads `readable` and writes `writable`. It takes both locks when opened or first written.
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
  readonly #pair: StreamPair;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #destroyed = false;

  constructor(pair: StreamPair) {
    this.#pair = pair;
  }

  open(receiver: PipeReceiver): void {
    this.#reader = this.#pair.readable.getReader();
    void this.#read(this.#reader, receiver);
  }

  write(chunks: readonly Uint8Array[]): Promise<void> | undefined {
    this.#writer ??= this.#pair.writable.getWriter();
    const writer = this.#writer;
    let last = Promise.resolve();
    for (const chunk of chunks) {
      last = writer.write(chunk);
      last.catch(() => {});
    }
    return (writer.desiredSize ?? 0) > 0 ? undefined : last;
  }

  async end(): Promise<void> {
    this.#writer ??= this.#pair.writable.getWriter();
    await this.#writer.close().catch(() => {});
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    const why = new Error("the pipe was destroyed");
    this.#writer ??= this.#pair.writable.locked ? undefined : this.#pair.writable.getWriter();
    this.#writer?.abort(why).catch(() => {});
    this.#reader?.cancel(why).catch(() => {});
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array>, receiver: PipeReceiver): Promise<void> {
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (this.#destroyed) return;
        if (done) break;
        receiver.data(value);
      }
    } catch (error) {
      receiver.end(asError(error));
      return;
    }
    receiver.end();
  }
}
