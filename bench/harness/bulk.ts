/** The work that every contender of `bulk` does: bytes go to the other side, which sends the same bytes back. */
import { serveHarness } from "./program.ts";

export interface Exchanger {
  /** What came back; valid until the next call. */
  exchange(payload: Uint8Array): Promise<Uint8Array>;
  readonly childPid: number | undefined;
  close(): unknown;
}

/** Obeys `exchange`, which gives milliseconds, and `compare`. */
export function serveBulk(exchanger: Exchanger): void {
  serveHarness(
    {
      async exchange({ bytes, count }: { bytes: number; count: number }) {
        const payload = payloadOf(bytes);
        const begin = performance.now();
        for (let i = 0; i < count; i++) {
          const back = await exchanger.exchange(payload);
          if (back.length !== bytes) throw new Error(`${back.length} of ${bytes} bytes came back`);
        }
        return performance.now() - begin;
      },
      async compare({ bytes }: { bytes: number }) {
        const payload = payloadOf(bytes);
        if (Buffer.compare(await exchanger.exchange(payload), payload) !== 0) throw new Error("other bytes came back");
      },
    },
    () => exchanger.close(),
    exchanger.childPid,
  );
}

const payloads = new Map<number, Uint8Array>();

/** Made once, from a small generator, so that nothing on the way can guess it. */
function payloadOf(bytes: number): Uint8Array {
  const known = payloads.get(bytes);
  if (known !== undefined) return known;
  const payload = new Uint8Array(bytes);
  let state = 1;
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    payload[i] = state >>> 24;
  }
  payloads.set(bytes, payload);
  return payload;
}
