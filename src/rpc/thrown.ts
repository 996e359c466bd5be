/** What was thrown, which may be anything: also what has no text form, and a proxy that was revoked. */
import type { Diagnostic } from "./channel.ts";

export function asError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) return thrown;
  } catch {
    // A proxy that answers nothing.
  }
  return new Error(messageOf(thrown));
}

export function messageOf(thrown: unknown): string {
  try {
    const { message = thrown } = Object(thrown) as { message?: unknown };
    const words = String(message);
    return words === "[object Object]" ? JSON.stringify(message) : words;
  } catch {
    return "what was thrown has no text";
  }
}

/** Tells of what a hook threw where diagnostics are all that is heard of. */
export function hookFailed(thrown: unknown): Diagnostic {
  return { code: "hook-failed", message: `a listener failed: ${messageOf(thrown)}` };
}

/** Who hears of what a hook threw. */
export interface ErrorHook {
  readonly error?: ((error: unknown) => unknown) | undefined;
}

/**
 * Runs a hook with `argument`, as a method of `self`: what it throws, or rejects with, is told `to` somebody and stops nothing (C25).
 * What they make of it is the last word: when that fails too there is nobody left to tell.
 */
export function guarded<A>(hook: (argument: A) => unknown, to?: ErrorHook, self?: unknown, argument?: A): void {
  // Every call has one: as long as nothing fails, nothing is made here.
  try {
    const result = hook.call(self, argument as A);
    if (result instanceof Promise) void watch(result, to);
  } catch (error) {
    tell(error, to);
  }
}

async function watch(result: Promise<unknown>, to: ErrorHook | undefined): Promise<void> {
  try {
    await result;
  } catch (error) {
    tell(error, to);
  }
}

function tell(error: unknown, to: ErrorHook | undefined): void {
  if (to?.error) guarded(() => to.error?.(error));
}
