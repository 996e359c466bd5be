/** The seam to a runtime: bytes both ways, pushed, without a promise per chunk. A socket, or a child's stdin and stdout. */

export interface PipeReceiver {
  /** The next bytes. They may be read during this call only. */
  data(chunk: Uint8Array): void;
  /** The last call: the other side ended, or `error` says what broke. */
  end(error?: Error): void;
}

/** Carries bytes both ways. `streamPipe` makes one over web streams, the adapters over sockets and processes. */
export interface Pipe {
  /** Starts delivery, of nothing before it has returned: whoever calls it may still be in the making. Called once. */
  open(receiver: PipeReceiver): void;
  /**
   * Writes all of `chunks` in order. Returns undefined if the runtime has taken them and is ready for more. Otherwise returns a
   * promise that resolves when it is ready for more, and rejects if the bytes can't be delivered any more. The bytes must not
   * change until then.
   */
  write(chunks: readonly Uint8Array[]): Promise<void> | undefined;
  /** As `write`, for text as UTF-8. Present if the runtime is faster at that than at writing bytes made from the text. */
  writeText?(text: string): Promise<void> | undefined;
  /**
   * Calls back when the code that runs now and its microtasks are done. Present if the runtime can do that without another
   * turn of the event loop: the answers to one chunk then leave sooner, and still in one write.
   */
  soon?(callback: () => void): void;
  /** Ends the outgoing direction once everything is written. Never rejects. */
  end(): Promise<void>;
  /** Ends both directions at once. Idempotent. */
  destroy(): void;
}
