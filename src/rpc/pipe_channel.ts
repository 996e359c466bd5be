/** Messages over bytes: a codec cuts what arrives, and one write a turn carries all that was sent in it. */
import { checkBytes } from "../../codec/check_bytes.ts";
import type { Codec, CodecError, CodecNotice, Decoder, DecoderOptions, DecoderSink } from "../../codec/codec.ts";
import { encodeFrames, encodeLines, joinLines } from "../../codec/encode.ts";
import { messageSize } from "./bytes.ts";
import type { BinaryMessage, Channel, ChannelReceiver } from "./channel.ts";
import { type Deferred, deferred } from "./deferred.ts";
import { ExtensionError } from "./errors.ts";
import { type GivenLimits, type Limits, withDefaultLimits } from "./limits.ts";
import type { Pipe, PipeReceiver } from "./pipe.ts";
import { asError } from "./thrown.ts";
import { nextTurn } from "./turn.ts";
import { within } from "./within.ts";

/** `lines` carries text only (Dhara); `frames` carries text and binary messages (MX). */
export type Framing = "lines" | "frames";

/** Both directions of a framing. */
interface Wire<F extends Framing> {
  readonly framing: F;
  /** The kind of a frame is a byte of its payload; an ending is none of its line. */
  readonly overheadBytes: number;
  readonly write: (pipe: Pipe, messages: readonly (string | BinaryMessage)[]) => Promise<void> | undefined;
}

const LINES: Wire<"lines"> = {
  framing: "lines",
  overheadBytes: 0,
  write(pipe, messages) {
    const lines = messages as readonly string[];
    return pipe.writeText ? pipe.writeText(joinLines(lines)) : pipe.write([encodeLines(lines)]);
  },
};

const FRAMES: Wire<"frames"> = {
  framing: "frames",
  overheadBytes: 1,
  write: (pipe, messages) => pipe.write(encodeFrames(messages)),
};

/** It is its decoder's sink and its pipe's receiver itself: many sessions idle in one host, and each closure counts. */
class PipeChannel implements Channel, DecoderSink, PipeReceiver {
  readonly #pipe: Pipe;
  readonly #codec: Codec;
  readonly #wire: Wire<Framing>;
  readonly #limits: Limits;
  #decoder: Decoder | undefined;
  /** The first one that messages have to keep. */
  #size: DecoderOptions;
  #receiver: ChannelReceiver | undefined;
  #queue: (string | BinaryMessage)[] = [];
  /** Told when all that is queued was written; and when all that is on its way was. */
  #queuedDone: ((written: boolean) => void)[] | undefined;
  #writingDone: ((written: boolean) => void)[] | undefined;
  /** What is queued or on its way, in characters and bytes. */
  #queuedBytes = 0;
  #scheduled = false;
  #writing: Promise<void> | undefined;
  #room: Deferred<void> | undefined;
  /** Nothing is delivered any more. */
  #ended = false;
  /** Nothing is written any more. */
  #broken = false;
  #closing: Promise<void> | undefined;

  constructor(pipe: Pipe, codec: Codec, wire: Wire<Framing>, limits: Limits) {
    this.#pipe = pipe;
    this.#codec = codec;
    this.#wire = wire;
    this.#limits = limits;
    this.#size = limits;
  }

  get overheadBytes(): number {
    return this.#wire.overheadBytes;
  }

  open(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
    this.#decoder = this.#codec[this.#wire.framing](this, this.#size);
    this.#pipe.open(this);
  }

  text(text: string, offset: number): void {
    this.#receiver?.text(text, offset);
  }

  attachment(body: Uint8Array, offset: number): void {
    this.#receiver?.binary(body, offset, () => this.#decoder?.recycle(body));
  }

  notice(notice: CodecNotice): void {
    this.#receiver?.diagnostic(notice);
  }

  fail(error: CodecError): void {
    const code = error.code === "limit" ? "limit" : "protocol";
    this.#fail(new ExtensionError(code, error.message, { cause: error }));
  }

  data(chunk: Uint8Array): void {
    if (this.#ended) return;
    try {
      checkBytes(chunk, "a chunk");
      this.#decoder?.push(chunk);
    } catch (error) {
      this.#fail(asError(error));
    }
  }

  end(error?: Error): void {
    if (this.#ended) return;
    if (error) return this.#fail(error);
    this.#decoder?.end();
    if (this.#ended) return;
    this.#ended = true;
    this.#receiver?.closed();
    // What was answered before the end came still goes out.
    void this.close();
  }

  send(message: string | BinaryMessage, done?: (written: boolean) => void): void {
    if (this.#broken || this.#closing) return done?.(false);
    // Whoever does not read gets no more than this: answers can't wait for a place as requests do (E4).
    if (this.#queuedBytes > this.#limits.maxQueuedBytes + this.#limits.maxMessageBytes) {
      this.#fail(
        new ExtensionError(
          "limit",
          `the other side does not read: ${this.#queuedBytes} bytes are queued, which exceeds maxQueuedBytes (${this.#limits.maxQueuedBytes} bytes) plus maxMessageBytes`,
        ),
      );
      return done?.(false);
    }
    this.#queue.push(message);
    if (done) (this.#queuedDone ??= []).push(done);
    this.#queuedBytes += messageSize(message);
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    if (this.#pipe.soon) this.#pipe.soon(this.#flushScheduled);
    else nextTurn(this.#flushScheduled);
  }

  room(): Promise<void> | undefined {
    if (this.#queuedBytes <= this.#limits.maxQueuedBytes || this.#broken) return undefined;
    this.#room ??= deferred();
    return this.#room.promise;
  }

  setMaxMessageBytes(bytes: number, limitName?: string): void {
    this.#size = { maxMessageBytes: bytes, limitName };
    this.#decoder?.setMaxMessageBytes(bytes, limitName);
  }

  unfinished(): string | undefined {
    return this.#decoder?.unfinished();
  }

  close(graceMs = 1_000): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    this.#ended = true;
    const ending = this.#drain().then(() => this.#pipe.end());
    // A pipe that can't end in order is ended all the same.
    await within(ending, graceMs).catch(() => {});
    this.#break();
  }

  async #drain(): Promise<void> {
    this.#flush();
    while (this.#writing) await this.#writing;
  }

  /** One for all turns: the first call of a function that was just made takes longer than making it. */
  readonly #flushScheduled = (): void => {
    this.#scheduled = false;
    this.#flush();
  };

  #flush(): void {
    if (this.#broken || this.#writing || this.#queue.length === 0) return;
    const messages = this.#queue;
    const size = this.#queuedBytes;
    this.#queue = [];
    this.#writingDone = this.#queuedDone;
    this.#queuedDone = undefined;
    let full: Promise<void> | undefined;
    try {
      full = this.#wire.write(this.#pipe, messages);
    } catch (error) {
      // A pipe of somebody else's: this runs on a turn of its own, and the error would end the process.
      return this.#fail(asError(error));
    }
    if (full === undefined) return this.#written(size);
    this.#writing = full.then(
      () => {
        this.#writing = undefined;
        this.#written(size);
        this.#flush();
      },
      (error: unknown) => {
        this.#writing = undefined;
        this.#fail(asError(error));
      },
    );
  }

  #written(size: number): void {
    this.#queuedBytes -= size;
    if (this.#writingDone) this.#tellWriting(true);
    if (this.#queuedBytes <= this.#limits.maxQueuedBytes) this.#freeRoom();
  }

  #freeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #tellWriting(written: boolean): void {
    const told = this.#writingDone;
    this.#writingDone = undefined;
    if (told) for (const done of told) done(written);
  }

  #fail(error: Error): void {
    this.#break();
    if (this.#ended) return;
    this.#ended = true;
    this.#receiver?.closed(error);
  }

  #break(): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#queue = [];
    this.#pipe.destroy();
    this.#tellWriting(false);
    this.#writingDone = this.#queuedDone;
    this.#queuedDone = undefined;
    this.#tellWriting(false);
    this.#freeRoom();
  }
}

/**
 * Makes a channel over `pipe`. The codec and the framing decide what a message looks like in bytes; `limits` bound the size of
 * a received message and of the write queue.
 *
 * @example
 * ```ts
 * import { Peer, pipeChannel, scalarCodec, streamPipe } from "extwire";
 * const [there, back] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
 * const left = pipeChannel(streamPipe({ readable: back.readable, writable: there.writable }), scalarCodec, "frames");
 * const right = pipeChannel(streamPipe({ readable: there.readable, writable: back.writable }), scalarCodec, "frames");
 * new Peer(right, { request: () => "pong" });
 * const peer = new Peer(left);
 * console.log(await peer.request("ping")); // pong
 * await peer.close();
 * ```
 */
export function pipeChannel<F extends Framing>(
  pipe: Pipe,
  codec: Pick<Codec, F>,
  framing: F,
  limits?: GivenLimits,
): Channel {
  const wire: Wire<Framing> = framing === "lines" ? LINES : FRAMES;
  return new PipeChannel(pipe, codec as Codec, wire, withDefaultLimits(limits));
}

/** The same for lines alone: whoever calls this carries nothing along that is for frames. */
export function lineChannel(pipe: Pipe, codec: Pick<Codec, "lines">, limits?: GivenLimits): Channel {
  return new PipeChannel(pipe, codec as Codec, LINES, withDefaultLimits(limits));
}
