/** The answer to `initialize`, in the forms that the document's text and its picture allow (D-07, X-22). */
import { deferred } from "../rpc/deferred.ts";
import { isObject } from "../rpc/message.ts";
import { within } from "../rpc/within.ts";

/** How long the second half of an answer in two halves may take. */
const SECOND_HALF_MS = 1_000;

/** What comes until the tools are taken, sorted as it comes: what follows in the same chunk is later all the same. */
export class Handshake {
  readonly #announced = deferred<unknown>();
  #listed = false;
  /** Lists that came behind the one that the result has: each is a new list. */
  later: unknown[] = [];

  /** The result of `initialize` arrives. One with tools replaces every list before it. */
  answered(result: unknown): unknown {
    if (hasTools(result)) {
      this.#listed = true;
      this.later = [];
    }
    return result;
  }

  /** A list of tools arrives as a message of its own. */
  announced(params: unknown): void {
    if (this.#listed) this.later.push(params);
    else this.#announced.resolve(params);
    this.#listed = true;
  }

  /**
   * The result of `initialize`; `answer` settles with what `answered` was given. An extension that goes by the picture sends
   * `tools/list` instead of the answer, or besides one without tools: then the result is made of both, and of either alone
   * when the other does not come.
   */
  async result(answer: Promise<unknown>): Promise<unknown> {
    const announced = this.#announced.promise.then((tools) => ({ tools }));
    const first = await Promise.race([answer.then((result) => ({ result })), announced]);
    if ("tools" in first) {
      const late = await atMost(answer);
      return hasTools(late) ? late : merged(late, first.tools);
    }
    const late = hasTools(first.result) ? undefined : await atMost(announced);
    return late === undefined ? first.result : merged(first.result, late.tools);
  }
}

function hasTools(result: unknown): boolean {
  return isObject(result) && result["tools"] !== undefined;
}

function merged(result: unknown, params: unknown): Record<string, unknown> {
  const announced = isObject(params) ? params : { tools: params };
  return { ...announced, ...(isObject(result) ? result : {}), tools: announced["tools"] };
}

/** Undefined when nothing came in time, or what came was a refusal. */
function atMost<T>(promise: Promise<T>): Promise<T | undefined> {
  return within(promise, SECOND_HALF_MS).catch(() => undefined);
}
