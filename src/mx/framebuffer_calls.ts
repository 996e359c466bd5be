/** Calls that are answered twice, by a result and by an attachment, in either order (M-04). */
import { BufferPool } from "../../codec/buffer_pool.ts";
import type { Codec } from "../../codec/codec.ts";
import { AbortGroups } from "../rpc/abort_groups.ts";
import { type DeadlineOwner, Deadlines } from "../rpc/deadlines.ts";
import { type Deferred, deferred } from "../rpc/deferred.ts";
import { ExtensionError } from "../rpc/errors.ts";
import type { RequestOptions } from "../rpc/peer.ts";
import { type Attachment, FRAMEBUFFER_ROLE } from "./attachment.ts";
import { readCaptureResult } from "./checks.ts";
import { isTightRgba, parseFramebuffer, toRgba } from "./framebuffer.ts";
import { type CaptureResult, MxMethod } from "./types.ts";

/** RGBA buffers kept for the next capture. */
const MOST_SPARE = 2;

/** What a VM showed when it was captured. */
export interface CapturedFramebuffer {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Tight: `width * height * 4` bytes, red first. */
  readonly rgba: Uint8Array;
  /** Gives the memory of `rgba` back for the next capture; nobody reads it afterwards. Needs not be called. */
  release(): void;
}

/** Time and end of one call of an `MxClient`. */
export interface CallOptions {
  /** From the call to the whole picture, in ms; 0 means none. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Rejects with `signal.reason` at once. */
  readonly signal?: AbortSignal | undefined;
}

interface Call {
  id: number;
  readonly timeoutMs: number;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  result: CaptureResult | undefined;
  bytes: Uint8Array | undefined;
  /** Gives the memory of `bytes` back. */
  recycle: (() => void) | undefined;
  /** Why it can't succeed any more: told when its result comes. */
  failure: ExtensionError | undefined;
  /** There when the result has come and the attachment has not. */
  waiting: Deferred<CapturedFramebuffer> | undefined;
}

type Ask = (method: string, params: unknown, options: RequestOptions) => Promise<unknown>;

export class FramebufferCalls implements DeadlineOwner {
  readonly #request: Ask;
  readonly #codec: Codec;
  readonly #maxWaitingBytes: number;
  readonly #timeoutMs: number;
  readonly #calls = new Map<number, Call>();
  /** Of attachments whose result has not come. */
  #waitingBytes = 0;
  #lastId = 0;
  readonly #spare = new BufferPool(MOST_SPARE);
  readonly #deadlines = new Deadlines(this);
  readonly #aborts = new AbortGroups((signal) => this.#abort(signal));

  constructor(request: Ask, codec: Codec, maxWaitingBytes: number, timeoutMs: number) {
    this.#request = request;
    this.#codec = codec;
    this.#maxWaitingBytes = maxWaitingBytes;
    this.#timeoutMs = timeoutMs;
  }

  async capture(vmId: string, options: CallOptions = {}): Promise<CapturedFramebuffer> {
    const { signal, timeoutMs = this.#timeoutMs } = options;
    const deadline = timeoutMs > 0 ? this.#deadlines.now() + timeoutMs : Infinity;
    const call: Call = {
      id: 0,
      timeoutMs,
      deadline,
      signal,
      result: undefined,
      bytes: undefined,
      recycle: undefined,
      failure: undefined,
      waiting: undefined,
    };
    const onSend = (id: number) => {
      call.id = id;
      this.#lastId = id;
      this.#calls.set(id, call);
    };
    // Looked at as soon as it is read: the attachment may stand right behind it.
    const parse = (result: unknown) => this.#answered(call, result);
    try {
      const captured = this.#request(MxMethod.captureFramebuffer, { vmId }, { timeoutMs, signal, onSend, parse });
      return (await captured) as CapturedFramebuffer;
    } finally {
      this.#forget(call);
    }
  }

  /**
   * Takes what arrived. What no call waits for is dropped, without noise where the call has ended;
   * false says that there never was one. `recycle` is called once nothing reads the bytes any more.
   */
  take({ id, role, bytes }: Attachment, recycle: () => void): boolean {
    const call = typeof id === "number" ? this.#calls.get(id) : undefined;
    if (call === undefined || role !== FRAMEBUFFER_ROLE || call.bytes !== undefined) {
      recycle();
      return typeof id === "number" && id > 0 && id <= this.#lastId && role === FRAMEBUFFER_ROLE;
    }
    if (call.result === undefined && this.#waitingBytes + bytes.length > this.#maxWaitingBytes) {
      recycle();
      const why = `its attachment of ${bytes.length} bytes came before its result, and more than maxWaitingAttachmentBytes, ${this.#maxWaitingBytes} bytes, would wait`;
      call.failure = new ExtensionError("limit", `${MxMethod.captureFramebuffer} failed: ${why}`);
      return true;
    }
    call.bytes = bytes;
    call.recycle = recycle;
    if (call.result === undefined) this.#waitingBytes += bytes.length;
    else this.#finishWaiting(call, call.result, bytes);
    return true;
  }

  /** The connection ended: what has its result and no attachment will not get one. */
  end(reason: ExtensionError): void {
    this.#deadlines.stop();
    for (const call of this.#calls.values()) call.waiting?.reject(reason);
    this.#aborts.clear();
  }

  #abort(signal: AbortSignal): void {
    for (const call of this.#calls.values()) if (call.signal === signal) call.waiting?.reject(signal.reason);
  }

  #answered(call: Call, result: unknown): CapturedFramebuffer | Promise<CapturedFramebuffer> {
    const read = readCaptureResult(result);
    if (call.failure) throw call.failure;
    call.result = read;
    if (call.bytes !== undefined) {
      this.#waitingBytes -= call.bytes.length;
      return this.#finish(call, read, call.bytes);
    }
    call.waiting = deferred();
    // Until now the request itself has watched these.
    this.#deadlines.watch(call.deadline);
    if (call.signal) this.#aborts.add(call.signal);
    return call.waiting.promise;
  }

  #finishWaiting(call: Call, result: CaptureResult, bytes: Uint8Array): void {
    try {
      call.waiting?.resolve(this.#finish(call, result, bytes));
    } catch (error) {
      call.waiting?.reject(error);
    }
  }

  /** Throws an ExtensionError `protocol`. */
  #finish(call: Call, result: CaptureResult, bytes: Uint8Array): CapturedFramebuffer {
    const said = "the framebuffer is not what its result says";
    if (bytes.length !== result.byteLength) {
      throw new ExtensionError(
        "protocol",
        `${said}: byteLength is ${result.byteLength}, and ${bytes.length} bytes came`,
      );
    }
    const picture = parseFramebuffer(bytes);
    const { width, height } = picture;
    if ((result.width ?? width) !== width || (result.height ?? height) !== height) {
      throw new ExtensionError(
        "protocol",
        `${said}: ${result.width} x ${result.height} pixels, and ${width} x ${height} came`,
      );
    }
    if (isTightRgba(picture)) {
      const { recycle } = call;
      call.recycle = undefined;
      return toCaptured(width, height, picture.pixels, recycle);
    }
    const size = width * height * 4;
    const rgba = toRgba(picture, this.#codec, this.#spare.reuse(size) ?? this.#spare.allocate(size));
    return toCaptured(width, height, rgba, () => this.#spare.recycle(rgba));
  }

  /** For its deadlines only. */
  expire(now: number): number {
    let next = Infinity;
    for (const { waiting, deadline, timeoutMs } of this.#calls.values()) {
      if (waiting === undefined) continue;
      if (deadline > now) next = Math.min(next, deadline);
      else
        waiting.reject(
          new ExtensionError(
            "timeout",
            `no framebuffer for ${MxMethod.captureFramebuffer} within ${timeoutMs} ms (its result came)`,
          ),
        );
    }
    return next;
  }

  /** Whatever became of it: what comes for it from now on is dropped. */
  #forget(call: Call): void {
    this.#calls.delete(call.id);
    if (call.signal && call.waiting) this.#aborts.delete(call.signal);
    if (call.bytes && call.result === undefined) this.#waitingBytes -= call.bytes.length;
    call.recycle?.();
    call.recycle = undefined;
  }
}

function toCaptured(
  width: number,
  height: number,
  rgba: Uint8Array,
  giveBack: (() => void) | undefined,
): CapturedFramebuffer {
  let kept = giveBack;
  const release = () => {
    kept?.();
    kept = undefined;
  };
  return { width, height, rgba, release };
}
