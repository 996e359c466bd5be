/** What `runtime.v1` offers to one session: its VMs and what they show (M-21, X-18). */
import { ErrorCode, ExtensionError, RpcError } from "../rpc/errors.ts";
import { excerpt } from "../rpc/peek.ts";
import type { Peer, RequestContext } from "../rpc/peer.ts";
import { Reply } from "../rpc/reply.ts";
import { nextTurn } from "../rpc/turn.ts";
import { attachmentMessage, canCarryId, FRAMEBUFFER_ROLE } from "./attachment.ts";
import { readCaptureParams } from "./checks.ts";
import { FRAMEBUFFER_ENCODING, framebufferParts } from "./framebuffer.ts";
import { Turnstile } from "./turnstile.ts";
import type { CaptureResult, Vm } from "./types.ts";
import type { Picture, VmRuntime } from "./vm_runtime.ts";

/** Captures at a time per session: a slow VM does not hold up the others, and a hasty client holds few pictures in memory. */
const MOST_CAPTURES = 4;

export class RuntimeMethods {
  readonly #vms: VmRuntime;
  readonly #peer: Peer;
  readonly #captures = new Turnstile(MOST_CAPTURES);
  readonly #sends = new Turnstile(1);

  constructor(vms: VmRuntime, peer: Peer) {
    this.#vms = vms;
    this.#peer = peer;
  }

  async listVms(): Promise<readonly Vm[]> {
    try {
      return await this.#vms.list();
    } catch (error) {
      throw applicationError("the VMs can't be listed", error);
    }
  }

  async captureFramebuffer(params: unknown, context: RequestContext): Promise<Reply> {
    const { vmId } = readCaptureParams(params);
    const { id } = context;
    if (!canCarryId(id))
      throw new RpcError(
        ErrorCode.invalidRequest,
        "the id has a lone surrogate, which the id tag of an attachment can't carry",
      );
    await this.#captures.enter();
    try {
      const picture = await this.#capture(vmId, context);
      try {
        const parts = framebufferParts(picture);
        await this.#sends.enter();
        await this.#room();
        // The answer is queued a few microtasks after this returns: only then may the next one look for room.
        nextTurn(() => this.#sends.leave());
        const { width, height } = picture;
        const byteLength = parts[0].length + parts[1].length;
        const result: CaptureResult = { encoding: FRAMEBUFFER_ENCODING, byteLength, width, height };
        return new Reply(result, attachmentMessage(id, FRAMEBUFFER_ROLE, parts), () => picture.release?.());
      } catch (error) {
        picture.release?.();
        throw applicationError(`VM ${excerpt(vmId)} can't be shown`, error);
      }
    } finally {
      this.#captures.leave();
    }
  }

  async #capture(vmId: string, context: RequestContext): Promise<Picture> {
    let picture: Picture | undefined;
    try {
      picture = await this.#vms.capture(vmId, context);
    } catch (error) {
      throw applicationError(`VM ${excerpt(vmId)} can't be captured`, error);
    }
    if (picture === undefined)
      throw new RpcError(ErrorCode.invalidParams, `field \`vmId\` names no VM: ${excerpt(vmId)}`);
    return picture;
  }

  /** A picture waits here, not in the write queue, whose bound ends the connection. */
  async #room(): Promise<void> {
    for (let room = this.#peer.room(); room !== undefined; room = this.#peer.room()) await room;
  }
}

function applicationError(what: string, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof ExtensionError) return new RpcError(ErrorCode.applicationError, `${what}: ${error.message}`);
  return new RpcError(ErrorCode.applicationError, `${what}: ${error instanceof Error ? error.message : String(error)}`);
}
