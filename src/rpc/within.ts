/** Waiting with an end. */

/** The longest time that a timer takes: a longer one, or none, would end at once. */
export const LONGEST_MS = 0x7fff_ffff;

/** `ms` as setTimeout takes it; Infinity too. */
export function timerMs(ms: number): number {
  return Math.min(ms, LONGEST_MS);
}

/** A wait passes in so many parts, and what came in is heard between two of them. */
const PARTS = 4;

/**
 * Calls `callback` after `ms`, unless what it returns was called before. A busy machine may let this program stand still
 * all the while: that costs one part of the wait, so what came in meanwhile is heard before the time is up.
 */
export function after(ms: number, callback: () => void): () => void {
  let left = PARTS;
  const pass = () => {
    if (left-- === 0) callback();
    else timer = setTimeout(pass, timerMs(Math.ceil(ms / PARTS)));
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  pass();
  return () => clearTimeout(timer);
}

/** Settles as `promise` does, or resolves with undefined after `ms`, counted as `after` does. */
export function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = after(ms, () => resolve(undefined));
    promise.finally(cancel).then(resolve, reject);
  });
}
