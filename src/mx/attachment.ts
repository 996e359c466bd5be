/** The body of a kind-1 frame (M-03, X-10). The layout stands only here. */
import { describeBytes, looksLikeText } from "../../codec/faults.ts";
import { decodeExact } from "../../codec/text.ts";
import { joined } from "../rpc/bytes.ts";
import type { BinaryMessage, Diagnostic } from "../rpc/channel.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { excerpt } from "../rpc/excerpt.ts";
import type { RequestId } from "../rpc/message.ts";

/** The role of an attachment that carries a framebuffer (M-04). */
export const FRAMEBUFFER_ROLE = "framebuffer";

const INTEGER_TAG = 0;
const STRING_TAG = 1;
/** As many first bytes as an error shows. */
const SHOWN_BYTES = 16;

export interface Attachment {
  /** Of the request it belongs to. A bigint is an integer too large for any id of ours, and equals none. */
  readonly id: RequestId | bigint;
  readonly role: string;
  /** A view of the body it was read from. */
  readonly bytes: Uint8Array;
}

/** The message to send: a header, then `parts` as they are. `id` is one that it can carry. */
export function attachmentMessage(id: RequestId, role: string, parts: readonly Uint8Array[]): BinaryMessage {
  return [joined([taggedId(id), counted(role)]), ...parts];
}

/** Whether an attachment can carry `id`: a lone surrogate would come out as another character. */
export function canCarryId(id: RequestId): boolean {
  return typeof id === "number" || !/\p{Surrogate}/u.test(id);
}

/**
 * Reads the body of a kind-1 frame that started `offset` bytes into the stream.
 * Throws an ExtensionError `protocol` that shows the offset and the first bytes.
 */
export function readAttachment(body: Uint8Array, offset: number): Attachment {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const fail = (why: string) => malformed(body, offset, why);
  let at = 1;
  const text = (what: string): string => {
    if (at + 4 > body.length) throw fail(`it ends inside the length of its ${what}`);
    const length = view.getUint32(at);
    at += 4;
    if (length > body.length - at) {
      throw fail(`its ${what} claims ${length} bytes, but ${body.length - at} are left`);
    }
    const decoded = decodeExact(body.subarray(at, at + length));
    if (decoded === undefined) throw fail(`its ${what} is not UTF-8`);
    at += length;
    return decoded;
  };
  let id: RequestId | bigint;
  if (body.length === 0) throw fail("it is empty");
  if (body[0] === INTEGER_TAG) {
    if (body.length < 9) throw fail("it ends inside its integer id");
    const integer = view.getBigInt64(1);
    id = Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
    at = 9;
  } else if (body[0] === STRING_TAG) {
    id = text("string id");
  } else {
    throw fail(`its id tag is ${body[0]}, neither 0 (integer) nor 1 (string)`);
  }
  const role = text("role");
  return { id, role, bytes: body.subarray(at) };
}

/** What is told of an attachment that nothing waits for. */
export function unexpectedAttachment({ id, role }: Attachment): Diagnostic {
  const shown = typeof id === "string" ? excerpt(id) : String(id);
  return {
    code: "unexpected-attachment",
    message: `an attachment with role ${excerpt(role)} and id ${shown} matches no request and was dropped`,
  };
}

function taggedId(id: RequestId): Uint8Array {
  if (typeof id === "string") return joined([Uint8Array.of(STRING_TAG), counted(id)]);
  const tagged = new Uint8Array(1 + 8);
  new DataView(tagged.buffer).setBigInt64(1, BigInt(id));
  return tagged;
}

/** A text behind its length. */
function counted(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return joined([length, bytes]);
}

function malformed(body: Uint8Array, offset: number, why: string): ExtensionError {
  const first = body.subarray(0, SHOWN_BYTES);
  const begins = first.length === 0 ? "" : `; it begins with ${describeBytes(first)}`;
  const advice = looksLikeText(first)
    ? ": this looks like text, so JSON was probably sent as kind 1 instead of 0"
    : ": write it as id tag, role, bytes";
  return new ExtensionError(
    "protocol",
    `attachment in the frame at byte ${offset} is malformed: ${why}${begins}${advice}`,
  );
}
