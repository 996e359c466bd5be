/** Waiting for something shared, which goes on whatever becomes of the wait. */
import { deferred } from "./deferred.ts";
import { ExtensionError } from "./errors.ts";
import { timerMs } from "./within.ts";

export interface WaitOptions {
  /** Default 0, without end. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Begins the timeout's message. */
  readonly what?: string;
}

/** What `promise` resolves with; rejects as it does, with ExtensionError `timeout`, or with `signal.reason`. */
export async function waitFor<T>(promise: Promise<T>, { timeoutMs = 0, signal, what }: WaitOptions): Promise<T> {
  const early = deferred<never>();
  const late = () => early.reject(new ExtensionError("timeout", `${what} within ${timeoutMs} ms`));
  const timer = timeoutMs > 0 ? setTimeout(late, timerMs(timeoutMs)) : undefined;
  const abort = () => early.reject(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  try {
    return await Promise.race([early.promise, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
