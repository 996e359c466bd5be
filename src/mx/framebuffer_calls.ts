/** Calls that are answered twice, by a result and by an attachment, in either order (M-04). */
import { BufferPool } from "../../codec/buffer_pool.ts";
import type { Codec } from "../../codec/codec.ts";
import { type Deferred, deferred } from "../rpc/deferred.ts";
import { ExtensionError } from "../rpc/errors.ts";
import type { Peer } from "../rpc/peer.ts";
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
  /** The pixels without padding: `width * height * 4` bytes, red first. */
  readonly rgba: Uint8Array;
  /** Returns the memory of `rgba` for the next capture; `rgba` must not be read afterwards. Calling it is optional. */
  release(): void;
}

/** Timeout and cancelling of one call of an `MxClient`. */
export interface CallOptions {
  /** From the call until the answer, with its whole picture, has arrived, in ms; 0 means none. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** When aborted, the call rejects with `signal.reason` at once. */
  readonly signal?: AbortSignal | undefined;
}

interface Call {
  id: number;
  result: CaptureResult | undefined;
  /** Settles with its bytes, or with why they are not taken. */
  readonly attachment: Deferred<Uint8Array>;
  /** Of the attachment, where it came before the result. */
  waitingBytes: number;
  /** Gives the memory of the attachment back. There once that has come. */
  recycle: (() => void) | undefined;
}

export class FramebufferCalls {
  readonly #peer: Peer;
  readonly #codec: Codec;
  readonly #maxWaitingBytes: number;
  readonly #calls = new Map<number, Call>();
  /** Of attachments whose result has not come. */
  #waitingBytes = 0;
  #lastId = 0;
  readonly #spare = new BufferPool(MOST_SPARE);

  constructor(peer: Peer, codec: Codec, maxWaitingBytes: number) {
    this.#peer = peer;
    this.#codec = codec;
    this.#maxWaitingBytes = maxWaitingBytes;
  }

  async capture(vmId: string, options: CallOptions = {}): Promise<CapturedFramebuffer> {
    const call: Call = { id: 0, result: undefined, attachment: deferred(), waitingBytes: 0, recycle: undefined };
    // Nobody waits for it before the result has come.
    call.attachment.promise.catch(() => {});
    const onSend = (id: number) => {
      call.id = id;
      this.#lastId = id;
      this.#calls.set(id, call);
    };
    const parse = (result: unknown) => this.#answered(call, readCaptureResult(result));
    const onTimeout = ({ code, message }: ExtensionError) =>
      call.result &&
      Promise.reject(new ExtensionError(code, `the result arrived, but the framebuffer did not: ${message}`));
    try {
      const asked = { ...options, onSend, parse, onTimeout };
      return (await this.#peer.request(MxMethod.captureFramebuffer, { vmId }, asked)) as CapturedFramebuffer;
    } finally {
      this.#stopWaiting(call);
      this.#calls.delete(call.id);
      call.recycle?.();
    }
  }

  /**
   * Takes what arrived. What no call waits for is dropped, without noise where the call has ended;
   * false says that there never was one. `recycle` is called once nothing reads the bytes any more.
   */
  take({ id, role, bytes }: Attachment, recycle: () => void): boolean {
    const isFramebuffer = typeof id === "number" && role === FRAMEBUFFER_ROLE;
    const call = isFramebuffer ? this.#calls.get(id) : undefined;
    if (call === undefined || call.recycle) {
      recycle();
      return isFramebuffer && id > 0 && id <= this.#lastId;
    }
    if (call.result === undefined) {
      if (this.#waitingBytes + bytes.length > this.#maxWaitingBytes) {
        const why = `its attachment of ${bytes.length} bytes came before its result, and the waiting ones would exceed maxWaitingAttachmentBytes (${this.#maxWaitingBytes} bytes)`;
        recycle();
        call.attachment.reject(new ExtensionError("limit", `${MxMethod.captureFramebuffer} failed: ${why}`));
        return true;
      }
      call.waitingBytes = bytes.length;
      this.#waitingBytes += bytes.length;
    }
    call.recycle = recycle;
    call.attachment.resolve(bytes);
    return true;
  }

  async #answered(call: Call, result: CaptureResult): Promise<CapturedFramebuffer> {
    call.result = result;
    this.#stopWaiting(call);
    return this.#finish(call, result, await call.attachment.promise);
  }

  /** Its attachment is read now, or dropped. */
  #stopWaiting(call: Call): void {
    this.#waitingBytes -= call.waitingBytes;
    call.waitingBytes = 0;
  }

  /** Throws an ExtensionError `protocol`. */
  #finish(call: Call, result: CaptureResult, bytes: Uint8Array): CapturedFramebuffer {
    const said = "the framebuffer does not match its result";
    if (bytes.length !== result.byteLength) {
      throw new ExtensionError(
        "protocol",
        `${said}: byteLength is ${result.byteLength}, but ${bytes.length} bytes came`,
      );
    }
    const picture = parseFramebuffer(bytes);
    const { width, height } = picture;
    if ((result.width ?? width) !== width || (result.height ?? height) !== height) {
      throw new ExtensionError(
        "protocol",
        `${said}: ${result.width} x ${result.height} pixels, but ${width} x ${height} came`,
      );
    }
    if (isTightRgba(picture)) {
      const { recycle } = call;
      call.recycle = undefined;
      return toCaptured(width, height, picture.pixels, recycle);
    }
    const rgba = toRgba(picture, this.#codec, this.#spare.take(width * height * 4));
    return toCaptured(width, height, rgba, () => this.#spare.recycle(rgba));
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
