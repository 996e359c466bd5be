/** Waiting for something shared, which goes on whatever becomes of the wait. */
import { ExtensionError } from "./errors.ts";
import { timerMs } from "./within.ts";

export interface WaitOptions {
  /** Default 0, without end. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Stands in the timeout's message. */
  readonly what?: string;
}

/** What `promise` resolves with; rejects as it does, with ExtensionError `timeout`, or with `signal.reason`. */
export async function waitFor<T>(
  promise: Promise<T>,
  { timeoutMs = 0, signal, what = "not over" }: WaitOptions,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = () => {};
  const early = new Promise<never>((_, reject) => {
    if (timeoutMs > 0) {
      const late = () => reject(new ExtensionError("timeout", `${what} within ${timeoutMs} ms`));
      timer = setTimeout(late, timerMs(timeoutMs));
    }
    abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([early, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
