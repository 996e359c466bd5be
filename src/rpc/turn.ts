/** Work put off to the end of the turn of the event loop, so that what a turn produces leaves in one write. */

const { setImmediate: immediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };

/** Calls `callback` after the microtasks of this turn, before any timer of a later one. */
export const nextTurn: (callback: () => void) => void =
  immediate === undefined ? messageTurn : (callback) => void immediate(callback);

/** Browsers have no setImmediate, and clamp nested timers to 4 ms. */
function messageTurn(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(null);
}
