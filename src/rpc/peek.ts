/** What can still be read from a message that could not be parsed, so that its sender or its caller is told at once. */
import { isRequestId, type RequestId } from "./message.ts";

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const MEMBERS = String.raw`\s*\{(?:\s*${STRING}\s*:\s*(?:${STRING}|[-+.\w]+)\s*,)*?\s*`;
const ID_FIRST = new RegExp(String.raw`^${MEMBERS}"id"\s*:\s*(${STRING}|-?\d+)\s*[,}]`);
const METHOD_FIRST = new RegExp(String.raw`^${MEMBERS}"method"\s*:`);
const LAST_MEMBER = String.raw`"(?:jsonrpc|method|id)"\s*:\s*(?:${STRING}|-?\d+)\s*`;
const LAST_MEMBERS = new RegExp(String.raw`[}\]"\w]\s*,\s*(${LAST_MEMBER}(?:,\s*${LAST_MEMBER})*)\}\s*$`);

/** Only the beginning and the end are looked at: a message may be 64 MiB. */
const HEAD = 1_024;
const TAIL = 256;

/** The id that stands before or behind the other members of the outermost object, if one can be made out. */
export function peekId(text: string): RequestId | undefined {
  const first = ID_FIRST.exec(text.slice(0, HEAD))?.[1];
  const { id } = first === undefined ? lastMembers(text) : parsed(`{"id":${first}}`);
  return isRequestId(id) ? id : undefined;
}

/** Whether `method` stands before or behind the other members: then the text was meant as a request or a notification. */
export function looksLikeRequest(text: string): boolean {
  return METHOD_FIRST.test(text.slice(0, HEAD)) || lastMembers(text)["method"] !== undefined;
}

/** What stands behind the last member of the outermost object that holds more than a word. */
function lastMembers(text: string): Record<string, unknown> {
  return parsed(`{${LAST_MEMBERS.exec(text.slice(-TAIL))?.[1] ?? ""}}`);
}

function parsed(members: string): Record<string, unknown> {
  try {
    return JSON.parse(members) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The text itself, or its beginning, for an error message. */
export function excerpt(text: string, length = 120): string {
  return JSON.stringify(text.length > length ? `${text.slice(0, length)}…` : text);
}

/** The beginning of `text` that fits into so many bytes of UTF-8; characters are not cut. */
export function cutToBytes(text: string, bytes: number): string {
  // One UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return read === text.length ? text : text.slice(0, read);
}
