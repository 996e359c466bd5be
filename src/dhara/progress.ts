/** Progress as an extension tells it (D-12, X-09). */

import { shortened } from "../rpc/excerpt.ts";
import { isObject } from "../rpc/message.ts";
import type { RunningCalls } from "./running_calls.ts";

export interface Progress {
  /** Null where it names no call. */
  readonly toolCallId: unknown;
  readonly message: string;
}

/** Throws a TypeError that says what is wrong. `calls`: those that there were, if any. */
export function readProgress(params: unknown, calls: RunningCalls | undefined): Progress {
  const { message, toolCallId = null } = isObject(params) ? params : {};
  if (typeof message !== "string") {
    const got = params === undefined ? "no params" : shortened(JSON.stringify(params));
    throw new TypeError(`progress needs a message that is a string: ${got}`);
  }
  if (toolCallId === null || calls?.knows(toolCallId)) return { toolCallId, message };
  const named = shortened(JSON.stringify(toolCallId));
  throw new TypeError(`progress for an unknown call ${named}: use the toolCallId in the params of tools/execute`);
}
