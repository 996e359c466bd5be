/** Progress as an extension tells it (D-12, X-09). */
import { isObject } from "../rpc/message.ts";
import type { RunningCalls } from "./running_calls.ts";

export interface Progress {
  /** Undefined or null where it names no call. */
  readonly toolCallId: unknown;
  readonly message: string;
}

/** What is wrong with it is a string. `calls`: those that there were, if any. */
export function readProgress(params: unknown, calls: RunningCalls | undefined): Progress | string {
  const { message, toolCallId } = isObject(params) ? params : {};
  if (typeof message !== "string") {
    const got = params === undefined ? "no params" : cut(JSON.stringify(params));
    return `progress needs a message that is a string: ${got}`;
  }
  if (toolCallId === undefined || toolCallId === null || calls?.knows(toolCallId)) return { toolCallId, message };
  const named = cut(JSON.stringify(toolCallId));
  return `progress for the call ${named}, which never was: take the toolCallId from the params of tools/execute`;
}

function cut(json: string): string {
  return json.length > 120 ? `${json.slice(0, 120)}…` : json;
}
