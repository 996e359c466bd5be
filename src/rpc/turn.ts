/** Work put off to the end of the turn of the event loop, so that what a turn produces leaves in one write. */

type Later = (callback: () => void) => unknown;

const { setImmediate: immediate, setTimeout: timer } = globalThis as { setImmediate?: Later; setTimeout: Later };

/** Calls `callback` after the microtasks of this turn, before any timer of a later one. */
export function nextTurn(callback: () => void): void {
  if (immediate) immediate(callback);
  // A worker with a compatibility date before 2025-08-15 has neither, and its timers are not clamped.
  else if (typeof MessageChannel === "undefined") timer(callback);
  else {
    // Browsers have no setImmediate, and clamp nested timers to 4 ms.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      callback();
    };
    port2.postMessage(null);
  }
}
