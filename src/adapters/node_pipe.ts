/** Node streams as a Pipe, in Node, Deno and Bun: data goes from the stream's event straight to the receiver. */
import type { Readable, Writable } from "node:stream";
import { type Deferred, deferred } from "../rpc/deferred.ts";
import { ExtensionError } from "../rpc/errors.ts";
import type { Pipe, PipeReceiver } from "../rpc/pipe.ts";
import { after, within } from "../rpc/within.ts";
import { IS_BUN, nextTick } from "./node_runtime.ts";

/** Several chunks up to this size are cheaper to copy into one than to write one by one. */
const JOIN_BYTES = 16 * 1024;
/** Bun makes one of all that is corked, in new memory: from this size on, a call to the system for each chunk is cheaper. */
const BUN_CORK_BYTES = 256 * 1024;
/** How long what an extension wrote may still be read once it no longer takes input. */
const LAST_WORDS_MS = 1_000;
/** How long the other side of a socket has to end what it sends once this one has. */
const LINGER_MS = 500;

/** On a stream, its pipe: listeners that all pipes share find theirs by it. A host of many idle sessions holds few bytes for each. */
const PIPE = Symbol("pipe");

interface PipedStream {
  [PIPE]?: NodePipe | undefined;
}

/** A source of bytes other than a stream's data events: `take` is set when delivery starts. */
export interface Inbound {
  take: (chunk: Uint8Array) => void;
}

/**
 * A pipe over two streams, or over one stream that is both, such as a socket. Create the socket with `allowHalfOpen`, so that
 * answers still go out after the other side has ended.
 *
 * @example
 * ```ts
 * import { PassThrough } from "node:stream";
 * import { Peer, pipeChannel, scalarCodec } from "extwire";
 * import { NodePipe } from "extwire/node";
 * const loop = new PassThrough();
 * const peer = new Peer(pipeChannel(new NodePipe(loop, loop), scalarCodec, "lines"), { request: () => "pong" });
 * console.log(await peer.request("ping")); // pong
 * await peer.close();
 * ```
 */
export class NodePipe implements Pipe {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #isSocket: boolean;
  /** Bun's stdin of a child says 0 while it still holds bytes; it has copied them by then. */
  readonly #knowsLength: boolean;
  readonly #inbound: Inbound | undefined;
  #receiver: PipeReceiver | undefined;
  #waiting: Deferred<void> | undefined;
  /** Why nothing can be written any more. */
  #failure: Error | undefined;
  /** The input is over, with `#inputError` if it broke. */
  #inputEnded = false;
  #inputError: Error | undefined;
  /** Ends the wait for them. */
  #lastWords: (() => void) | undefined;

  /** @param inbound where the bytes come from, if not from the data events of a paused `input` */
  constructor(input: Readable, output: Writable, inbound?: Inbound) {
    this.#inbound = inbound;
    this.#input = input;
    this.#output = output;
    this.#isSocket = (input as unknown) === output;
    this.#knowsLength = !IS_BUN || this.#isSocket;
    (input as PipedStream)[PIPE] = this;
    input.on("error", NodePipe.#onInputError);
    input.on("close", NodePipe.#onInputClose);
    if (this.#isSocket) return;
    (output as PipedStream)[PIPE] = this;
    output.on("error", NodePipe.#onOutputError);
    output.on("close", NodePipe.#onOutputClose);
  }

  open(receiver: PipeReceiver): void {
    this.#receiver = receiver;
    if (this.#inputEnded) {
      queueMicrotask(() => receiver.end(this.#inputError));
      return;
    }
    this.#input.on("end", NodePipe.#onInputEnd);
    if (this.#inbound === undefined) {
      this.#input.on("data", NodePipe.#onData);
    } else {
      this.#inbound.take = (chunk) => receiver.data(chunk);
      this.#input.resume();
    }
  }

  write(chunks: readonly Uint8Array[]): Promise<void> | undefined {
    const first = chunks[0];
    if (first === undefined) return undefined;
    const one = chunks.length === 1 ? first : joined(chunks);
    return this.#write(one ?? chunks);
  }

  soon(callback: () => void): void {
    nextTick(callback);
  }

  writeText(text: string): Promise<void> | undefined {
    return this.#write(text);
  }

  end(): Promise<void> {
    const ended = endOf(this.#output);
    return this.#isSocket ? ended.then(() => this.#hearOut()) : ended;
  }

  /** To close a socket while bytes come in resets it, which takes back what the other side has not read yet. */
  async #hearOut(): Promise<void> {
    if (this.#inputEnded || this.#output.destroyed) return;
    await within(new Promise((resolve) => this.#output.once("close", resolve)), LINGER_MS);
  }

  destroy(): void {
    this.#lastWords?.();
    // Before the runtime refuses what waits to be written in words of its own.
    this.#fail(closedHere());
    this.#input.destroy();
    this.#output.destroy();
  }

  #write(what: string | Uint8Array | readonly Uint8Array[]): Promise<void> | undefined {
    const output = this.#output;
    if (output.writableEnded) return Promise.reject(closedHere());
    // A stream that has just failed says so in a later turn, and takes every write until then.
    if (output.destroyed || output.errored) this.#outputBroke(output.errored ?? closedHere());
    if (this.#failure) return this.#lastWords && !this.#inputEnded ? this.#wait() : Promise.reject(this.#failure);
    const more = Array.isArray(what)
      ? this.#writeAll(what)
      : output.write(what as string | Uint8Array, this.#onWritten);
    // Not `more`: it says no to every large write, even to one that the system has taken at once.
    if (this.#knowsLength ? output.writableLength === 0 : more) return undefined;
    return this.#wait();
  }

  #writeAll(chunks: readonly Uint8Array[]): boolean {
    const output = this.#output;
    const last = chunks.length - 1;
    const corks = !IS_BUN || sizeOf(chunks) < BUN_CORK_BYTES;
    if (corks) output.cork();
    for (let i = 0; i < last; i++) output.write(chunks[i]);
    const more = output.write(chunks[last], this.#onWritten);
    if (corks) output.uncork();
    return more;
  }

  #wait(): Promise<void> {
    this.#waiting ??= deferred();
    return this.#waiting.promise;
  }

  readonly #onWritten = (error?: Error | null): void => {
    const waiting = this.#waiting;
    // Node tells of no error when the stream is destroyed under a write, as it is when a process ends.
    if (error || this.#output.destroyed) return this.#outputBroke(error ?? closedHere());
    if (waiting === undefined || this.#failure) return;
    if (this.#knowsLength && this.#output.writableLength > 0) return;
    this.#waiting = undefined;
    waiting.resolve();
  };

  static readonly #onData = function (this: PipedStream, chunk: Uint8Array): void {
    const pipe = this[PIPE];
    if (pipe) pipe.#receiver?.data(chunk);
  };

  static readonly #onInputError = function (this: PipedStream, error: Error): void {
    const pipe = this[PIPE];
    if (pipe === undefined) return;
    pipe.#inputError ??= error;
    pipe.#inputOver();
  };

  static readonly #onInputEnd = function (this: PipedStream): void {
    const pipe = this[PIPE];
    if (pipe) pipe.#inputOver();
  };

  static readonly #onInputClose = function (this: PipedStream): void {
    const pipe = this[PIPE];
    // Deno never lets go of a child's stdin that was being ended when the child exited: it should not hold all of this as well.
    this[PIPE] = undefined;
    if (pipe) pipe.#inputOver();
  };

  static readonly #onOutputError = function (this: PipedStream, error: Error): void {
    const pipe = this[PIPE];
    if (pipe) pipe.#outputBroke(error);
  };

  static readonly #onOutputClose = function (this: PipedStream): void {
    const pipe = this[PIPE];
    this[PIPE] = undefined;
    if (pipe && !pipe.#output.writableFinished) pipe.#outputBroke(closedHere());
  };

  #inputOver(): void {
    const closed = this.#input.destroyed;
    if (!this.#inputEnded) {
      this.#inputEnded = true;
      this.#lastWords?.();
      this.#receiver?.end(this.#inputError);
    }
    // A socket that is closed takes no bytes either; one that has only ended still does.
    if (this.#failure) this.#fail(this.#failure);
    else if (closed && this.#isSocket) this.#fail(this.#inputError ?? closedHere());
  }

  /** A process that ends stops reading first: what it wrote before is still to come, and says more than EPIPE does. */
  #outputBroke(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    if (this.#inputEnded || this.#isSocket) return this.#fail(error);
    this.#lastWords = after(LAST_WORDS_MS, () => {
      this.#inputEnded = true;
      this.#inputError = new ExtensionError(
        "disconnected",
        `it no longer reads what is written to it (${error.message})`,
        { cause: error },
      );
      this.#input.destroy();
      this.#receiver?.end(this.#inputError);
      this.#fail(error);
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
  }
}

/** Outside of the class: Deno never lets go of a child's stdin that was being ended when the child exited, nor of who listens to it. */
function endOf(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (output.destroyed || output.writableFinished) return resolve();
    const settle = () => resolve();
    output.once("finish", settle).once("close", settle).once("error", settle);
    output.end();
  });
}

function joined(chunks: readonly Uint8Array[]): Uint8Array | undefined {
  const size = sizeOf(chunks);
  return size > JOIN_BYTES ? undefined : Buffer.concat(chunks, size);
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

function closedHere(): ExtensionError {
  return new ExtensionError("closed", "the connection is closed");
}
