import { defined } from "./defined.ts";

/** Every limit by name. Sizes are in bytes. */
export interface Limits {
  /** The largest message, in either direction: a line without its ending, or a frame's payload. */
  readonly maxMessageBytes: number;
  /** The largest frame on an MX connection whose hello is not yet accepted. */
  readonly maxHelloBytes: number;
  /** The deepest nesting of arrays and objects in a message, read or written. */
  readonly maxDepth: number;
  /** Requests in flight per peer and direction. Beyond it, our requests wait for a place; the other side's are refused. */
  readonly maxInFlight: number;
  /** Attachment bytes waiting for their result, per connection. */
  readonly maxWaitingAttachmentBytes: number;
  /** How many diagnostics are kept, and the length of each. */
  readonly maxDiagnosticLines: number;
  readonly maxDiagnosticLineBytes: number;
  /** Text and attachment bytes queued for writing, per connection. Beyond it, requests and answers wait. */
  readonly maxQueuedBytes: number;
}

/** The limits that hold where none is given. */
export const DEFAULT_LIMITS: Limits = {
  maxMessageBytes: 64 * 1024 * 1024,
  maxHelloBytes: 64 * 1024,
  maxDepth: 1_000,
  maxInFlight: 1_024,
  maxWaitingAttachmentBytes: 64 * 1024 * 1024,
  maxDiagnosticLines: 1_000,
  maxDiagnosticLineBytes: 8 * 1024,
  maxQueuedBytes: 16 * 1024 * 1024,
};

/** Some limits. Those left out or undefined keep their defaults. */
export type GivenLimits = { readonly [Name in keyof Limits]?: Limits[Name] | undefined };

/** `limits` with the defaults for what it leaves out. Nothing new is made of limits that are complete, so that connections share them. */
export function withDefaultLimits(limits?: GivenLimits): Limits {
  // Most connections have these, and each part of one asks.
  if (limits === undefined || limits === DEFAULT_LIMITS) return DEFAULT_LIMITS;
  const names = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
  if (names.every((name) => limits[name] !== undefined)) return limits as Limits;
  return { ...DEFAULT_LIMITS, ...defined(limits) };
}
