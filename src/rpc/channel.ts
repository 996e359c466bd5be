/** The seam between JSON-RPC and whatever carries it: whole messages in, whole messages out. */

/** A binary message: the body of a kind-1 frame, in parts that are written one after the other without a copy. */
export type BinaryMessage = readonly Uint8Array[];

/** Reports something that the other side sent and that was no valid message, or was skipped. The connection goes on. */
export interface Diagnostic {
  readonly code: string;
  readonly message: string;
  /** The text itself, cut at `maxDiagnosticLineBytes`; left out if it may contain a secret. */
  readonly line?: string | undefined;
}

/** Receives what a channel delivers, in order. Its methods must not throw. */
export interface ChannelReceiver {
  /** The text of one JSON message. */
  text(text: string, offset: number): void;
  /** The body of one binary message. `recycle` returns its memory; `body` must not be read after that. */
  binary(body: Uint8Array, offset: number, recycle: () => void): void;
  diagnostic(diagnostic: Diagnostic): void;
  /** The last call: the other side ended cleanly, or `error`, an ExtensionError, says what broke. */
  closed(error?: Error): void;
}

/** Carries whole messages both ways. `pipeChannel` makes one over bytes, `memoryPair` a linked pair. */
export interface Channel {
  /** Bytes that the channel adds to a message and that count against the size limit: 1 for the kind of a frame. */
  readonly overheadBytes: number;
  /** Starts delivery, of nothing before it has returned: whoever calls it may still be in the making. Called once. */
  open(receiver: ChannelReceiver): void;
  /**
   * Queues one message. Everything queued in one turn of the event loop leaves in one write. Once the channel is closed, messages
   * are dropped. `done` is called once, when the message was written or dropped and its bytes are not read any more.
   */
  send(message: string | BinaryMessage, done?: (written: boolean) => void): void;
  /** Undefined while the queue has room; else a promise that settles when it has room again, or the channel is closed. */
  room(): Promise<void> | undefined;
  /** Describes an incomplete message in words, for an error. Channels whose messages always come whole leave it out. */
  unfinished?(): string | undefined;
  /** Writes what is queued, then closes. Settles within `graceMs` (default 1,000), whatever the other side does. Idempotent. */
  close(graceMs?: number): Promise<void>;
  /** Changes the size limit of messages that start from now on. Called before `open`, it sets the first one. */
  setMaxMessageBytes(bytes: number, limitName?: string): void;
}
