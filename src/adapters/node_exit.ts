/** The end of an extension's process, and what it says at its end. */
import { after } from "../rpc/within.ts";

/** For what was printed to leave, when somebody holds its pipe and does not read, in ms. */
const FLUSH_MS = 1_500;

/**
 * From here on nobody need read what this process prints: a host that has died reads nothing, which would end the process
 * before its connection tells it to clean up.
 */
export function printToAnybody(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

/** Not before what the process printed has left it; after `printToAnybody`. `why` is told on stderr. */
export function exitFlushed(code: number, why?: Error): Promise<never> {
  const text = why === undefined ? "" : `${why.message}\n`;
  const streams = [process.stdout, process.stderr];
  let open = streams.length;
  const flushed = () => {
    if (--open === 0) process.exit(code);
  };
  // The host may be gone, and the pipes with it.
  after(FLUSH_MS, () => process.exit(code));
  for (const stream of streams) stream.write(stream === process.stderr ? text : "", flushed);
  return new Promise(() => {});
}
