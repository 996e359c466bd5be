/** The seam to a runtime: bytes both ways, pushed, without a promise per chunk. A socket, or a child's stdin and stdout. */

export interface PipeReceiver {
  /** The next bytes, only read during the call. */
  data(chunk: Uint8Array): void;
  /** The last call: the other side ended, or `error` says what broke. */
  end(error?: Error): void;
}

/** Bytes both ways. `streamPipe` makes one of web streams, the adapters of sockets and processes. */
export interface Pipe {
  /** Starts delivery, of nothing before it has returned: whoever calls it may still be in the making. Called once. */
  open(receiver: PipeReceiver): void;
  /**
   * Writes all of `chunks` in order. Returns undefined when the runtime has taken them and wants more,
   * else a promise that settles when it wants more; it rejects when the bytes can't be delivered any more.
   * The bytes must stay unchanged until then.
   */
  write(chunks: readonly Uint8Array[]): Promise<void> | undefined;
  /** As `write`, for text as UTF-8. Present where the runtime does that in less time than it takes to make bytes first. */
  writeText?(text: string): Promise<void> | undefined;
  /**
   * Calls back once what runs now and its microtasks are done. Present where the runtime can do that without another
   * turn of the event loop: what is sent in answer to one chunk leaves sooner and still in one write.
   */
  soon?(callback: () => void): void;
  /** Ends the outgoing direction after what was written. Never rejects. */
  end(): Promise<void>;
  /** Ends both directions now. Idempotent. */
  destroy(): void;
}
