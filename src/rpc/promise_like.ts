/** Whether a handler answers later. A `then` that throws when it is read makes it an ordinary value. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  try {
    return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
  } catch {
    return false;
  }
}
