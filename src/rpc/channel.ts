/** The seam between JSON-RPC and whatever carries it: whole messages in, whole messages out. */

/** A binary message: a kind-1 frame's body in parts that are written one after the other, uncopied. */
export type BinaryMessage = readonly Uint8Array[];

/** Something an extension sent that was not a message of the protocol, or that was skipped; it cost nothing else. */
export interface Diagnostic {
  readonly code: string;
  readonly message: string;
  /** The text itself, cut at `maxDiagnosticLineBytes`; left out where it may hold a secret. */
  readonly line?: string | undefined;
}

/** Takes what a channel delivers, in order. Its methods do not throw. */
export interface ChannelReceiver {
  /** The text of one JSON message. */
  text(text: string, offset: number): void;
  /** The body of one binary message. `recycle` gives its memory back; after it nobody reads `body`. */
  binary(body: Uint8Array, offset: number, recycle: () => void): void;
  diagnostic(diagnostic: Diagnostic): void;
  /** The last call: the other side ended cleanly, or `error` says what broke (an ExtensionError). */
  closed(error?: Error): void;
}

/** Whole messages both ways. `pipeChannel` makes one of bytes, `memoryPair` two that are linked. */
export interface Channel {
  /** What it adds to a message that counts against the size limit, in bytes: 1 for the kind of a frame. */
  readonly overheadBytes: number;
  /** Starts delivery, of nothing before it has returned: whoever calls it may still be in the making. Called once. */
  open(receiver: ChannelReceiver): void;
  /**
   * Queues one message; all that is queued in a turn of the event loop leaves in one write. Dropped once closed.
   * `done` is called once, when nothing reads the bytes of the message any more: they were written, or dropped.
   */
  send(message: string | BinaryMessage, done?: (written: boolean) => void): void;
  /** Undefined while the queue has room, else a promise that settles when it has again or the channel is closed. */
  room(): Promise<void> | undefined;
  /** The message whose end has not come, in words for an error; left out by channels whose messages come whole. */
  unfinished?(): string | undefined;
  /** Writes what is queued, then closes. Settles within `graceMs` (default 1,000) whatever the other side does; idempotent. */
  close(graceMs?: number): Promise<void>;
  /** Changes the size limit of the messages that start from now on; before `open` it is the first one. */
  setMaxMessageBytes(bytes: number, limitName?: string): void;
}
