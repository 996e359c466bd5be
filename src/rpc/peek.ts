/** What can still be read from a message that could not be parsed, so that its sender or its caller is told at once. */
import { isRequestId, type RequestId } from "./message.ts";

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const MEMBER = String.raw`\s*${STRING}\s*:\s*(?:${STRING}|-?\d+|null|true|false)\s*`;
const MEMBERS = `(${MEMBER}(?:,${MEMBER})*)`;
const FIRST = new RegExp(String.raw`^\s*\{${MEMBERS}[,}]`);
const LAST = new RegExp(String.raw`[}\]"\w]\s*,${MEMBERS}\}\s*$`);

/** Only the beginning and the end are looked at: a message may be 64 MiB. */
const HEAD = 1_024;
const TAIL = 256;

/** What stands before and behind the members of the outermost object that hold more than a word. */
export function peek(text: string): { readonly id: RequestId | undefined; readonly isRequest: boolean } {
  const [first, last] = [FIRST.exec(text.slice(0, HEAD)), LAST.exec(text.slice(-TAIL))];
  const { id, method } = { ...parsed(last?.[1]), ...parsed(first?.[1]) };
  return { id: isRequestId(id) ? id : undefined, isRequest: method !== undefined };
}

function parsed(members = ""): Record<string, unknown> {
  try {
    return JSON.parse(`{${members}}`) as Record<string, unknown>;
  } catch {
    return {};
  }
}
