/** Waiting for something shared, which goes on whatever becomes of the wait. */
import { deferred } from "./deferred.ts";
import { ExtensionError } from "./errors.ts";
import { timerMs } from "./within.ts";

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: none. 0 ms are none either. `what` begins its message. */
  readonly timeout?: { readonly ms: number; readonly what: string };
}

/** What `promise` resolves with; rejects as it does, with ExtensionError `timeout`, or with `signal.reason`. */
export async function waitFor<T>(promise: Promise<T>, { timeout, signal }: WaitOptions): Promise<T> {
  const early = deferred<never>();
  const late = () => early.reject(new ExtensionError("timeout", `${timeout?.what} within ${timeout?.ms} ms`));
  const timer = timeout && timeout.ms > 0 ? setTimeout(late, timerMs(timeout.ms)) : undefined;
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
