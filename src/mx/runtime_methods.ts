/** What `runtime.v1` offers to one session: its VMs and what they show (M-21, X-18). */
import type { BinaryMessage } from "../rpc/channel.ts";
import { ErrorCode, invalidParams, invalidRequest, RpcError } from "../rpc/errors.ts";
import { excerpt } from "../rpc/excerpt.ts";
import type { RequestId } from "../rpc/message.ts";
import type { RequestContext } from "../rpc/peer.ts";
import { isPromiseLike } from "../rpc/promise_like.ts";
import { Reply } from "../rpc/reply.ts";
import { messageOf } from "../rpc/thrown.ts";
import { attachmentMessage, canCarryId, FRAMEBUFFER_ROLE } from "./attachment.ts";
import { readCaptureParams } from "./checks.ts";
import { FRAMEBUFFER_ENCODING, framebufferParts } from "./framebuffer.ts";
import { Semaphore } from "./semaphore.ts";
import type { CaptureResult, Vm } from "./types.ts";
import type { Picture, VmRuntime } from "./vm_runtime.ts";

/** Captures at a time per session: a slow VM does not hold up the others, and a hasty client holds few pictures in memory. */
const MOST_CAPTURES = 4;

/** Where attachments leave. */
export interface Outlet {
  /** Throws the RpcError to answer with for one that the other side would have to refuse. */
  checkAttachment(message: BinaryMessage): void;
  /** Settles when nothing reads its bytes any more. */
  sendAttachment(message: BinaryMessage): Promise<void>;
}

export class RuntimeMethods {
  readonly #vms: VmRuntime;
  readonly #outlet: Outlet;
  readonly #onError: (error: unknown) => void;
  readonly #captures = new Semaphore(MOST_CAPTURES);

  /** `onError` hears of what a picture's `release` threw. */
  constructor(vms: VmRuntime, outlet: Outlet, onError: (error: unknown) => void) {
    this.#vms = vms;
    this.#outlet = outlet;
    this.#onError = onError;
  }

  /** At once where the runtime need not wait: an answer that nothing waits for makes no promises. */
  listVms(): readonly Vm[] | Promise<readonly Vm[]> {
    try {
      const vms = this.#vms.list();
      return isPromiseLike(vms) ? listed(vms) : vms;
    } catch (error) {
      throw notListed(error);
    }
  }

  async captureFramebuffer(params: unknown, context: RequestContext): Promise<Reply> {
    const { vmId } = readCaptureParams(params);
    const { id } = context;
    if (!canCarryId(id))
      throw invalidRequest("the id has a lone surrogate, which the id tag of an attachment can't carry");
    await this.#captures.acquire();
    try {
      const picture = await this.#capture(vmId, context);
      return this.#reply(picture, id);
    } catch (error) {
      this.#captures.release();
      throw applicationError(`VM ${excerpt(vmId)} can't be shown`, error);
    }
  }

  /** The place is held until the picture has left: what waits for a slow reader stays bounded. */
  #reply(picture: Picture, id: RequestId): Reply {
    try {
      const parts = framebufferParts(picture);
      const { width, height } = picture;
      const byteLength = parts[0].length + parts[1].length;
      const result: CaptureResult = { encoding: FRAMEBUFFER_ENCODING, byteLength, width, height };
      const attachment = attachmentMessage(id, FRAMEBUFFER_ROLE, parts);
      this.#outlet.checkAttachment(attachment);
      const release = () => {
        this.#captures.release();
        this.#release(picture);
      };
      return new Reply(result, (isQueued) => {
        if (isQueued) this.#outlet.sendAttachment(attachment).then(release, release);
        else release();
      });
    } catch (error) {
      this.#release(picture);
      throw error;
    }
  }

  #release(picture: Picture): void {
    try {
      picture.release?.();
    } catch (error) {
      this.#onError(error);
    }
  }

  async #capture(vmId: string, context: RequestContext): Promise<Picture> {
    let picture: Picture | undefined;
    try {
      picture = await this.#vms.capture(vmId, context);
    } catch (error) {
      throw applicationError(`VM ${excerpt(vmId)} can't be captured`, error);
    }
    if (picture === undefined) throw invalidParams(`field \`vmId\` names no VM: ${excerpt(vmId)}`);
    return picture;
  }
}

async function listed(vms: PromiseLike<readonly Vm[]>): Promise<readonly Vm[]> {
  try {
    return await vms;
  } catch (error) {
    throw notListed(error);
  }
}

function notListed(error: unknown): RpcError {
  return applicationError("the VMs can't be listed", error);
}

function applicationError(what: string, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError(ErrorCode.applicationError, `${what}: ${messageOf(error)}`);
}
