/** Runs a Dhara extension on the stdin and stdout of this process, in Node, Deno and Bun. */
import { lineCodec } from "../../codec/line_codec.ts";
import type { Extension } from "../dhara/define.ts";
import { DharaServer } from "../dhara/extension.ts";
import type { GivenLimits } from "../rpc/limits.ts";
import { lineChannel } from "../rpc/pipe_channel.ts";
import { exitFlushed, printToAnybody } from "./node_exit.ts";
import { takeStdio } from "./node_stdio.ts";

/** Limits of what is served. */
export interface ServeOptions {
  readonly limits?: GivenLimits | undefined;
  /** How long answers that are queued at `shutdown` may take to leave, in ms. Default 4,500; more is for a host that waits longer than Dhara's 5 s (D-13). */
  readonly flushMs?: number | undefined;
}

/**
 * Serves until the host sends `shutdown` (D-09) or ends stdin, then cleans up, lets the last complete line
 * leave, and ends the process with code 0, whatever timers it has; with 1, and the reason on stderr, when what the host sent
 * passed a limit. Stdout belongs to the protocol from here on:
 * `console.log` and `process.stdout.write` go to stderr. What a child process or a native module writes to
 * file descriptor 1 can't be caught.
 *
 * Rejects with an ExtensionError `bad-schema` when a tool's schema is none.
 *
 * @example
 * ```ts
 * import { defineExtension } from "extwire";
 * import { serve } from "extwire/node";
 * await serve(defineExtension({
 *   name: "hello",
 *   version: "1.0.0",
 *   tools: [{ name: "greet", description: "Greets", inputSchema: { type: "object" }, execute: () => "Hello" }],
 * }));
 * ```
 */
export async function serve(extension: Extension, options: ServeOptions = {}): Promise<never> {
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- JavaScript may pass anything.
  if (typeof extension?.prepare !== "function") throw new TypeError("serve takes what defineExtension returns");
  await extension.prepare();
  const { limits, flushMs } = options;
  printToAnybody();
  const server = new DharaServer(extension, lineChannel(takeStdio(), lineCodec, limits), {
    limits,
    flushMs,
    onError: (error) => console.error(error),
  });
  const reason = await server.closed;
  if (reason.code === "limit" || reason.code === "protocol") return exitFlushed(1, reason);
  process.exit(0);
}
