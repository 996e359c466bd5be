/** Marks a rejection as handled, for callers that do not wait. */
export function silent<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
