/** Runs `body` and returns how many bytes of new memory it asked `Uint8Array` for. */
export function allocatedBytes(body: () => void): number {
  const original = globalThis.Uint8Array;
  let bytes = 0;
  globalThis.Uint8Array = new Proxy(original, {
    construct(target, args, newTarget) {
      if (typeof args[0] === "number") bytes += args[0];
      return Reflect.construct(target, args, newTarget === globalThis.Uint8Array ? target : newTarget) as object;
    },
  });
  try {
    body();
  } finally {
    globalThis.Uint8Array = original;
  }
  return bytes;
}
