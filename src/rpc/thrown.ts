/** What was thrown, which may be anything: also what has no text form, and a proxy that was revoked. */

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
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "something was thrown that has no text form";
  }
}

/**
 * Runs a hook: what it throws, or rejects with, goes to `report` and stops nothing (C25). What `report` makes of it is
 * the last word: when it fails too there is nobody left to tell.
 */
export function guarded(hook: () => unknown, report: ((error: unknown) => unknown) | undefined): void {
  try {
    const result = hook();
    if (result instanceof Promise) result.catch((error: unknown) => told(error, report));
  } catch (error) {
    told(error, report);
  }
}

function told(error: unknown, report: ((error: unknown) => unknown) | undefined): void {
  if (report) guarded(() => report(error), undefined);
}
