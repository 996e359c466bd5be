/** A signal that counts who listens to it. */

export interface CountedSignal {
  readonly signal: AbortSignal;
  /** As many as are on it now. */
  listeners(): number;
  abort(): void;
}

export function countedSignal(): CountedSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const { addEventListener, removeEventListener } = signal;
  Object.assign(signal, {
    addEventListener(this: AbortSignal, ...rest: Parameters<typeof addEventListener>) {
      count++;
      addEventListener.apply(this, rest);
    },
    removeEventListener(this: AbortSignal, ...rest: Parameters<typeof removeEventListener>) {
      count--;
      removeEventListener.apply(this, rest);
    },
  });
  return { signal, listeners: () => count, abort: () => controller.abort() };
}
