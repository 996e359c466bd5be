/** Runs a Dhara extension on the stdin and stdout of this process, in Node, Deno and Bun. */
import { lineCodec } from "../../codec/line_codec.ts";
import type { Extension } from "../dhara/define.ts";
import { DharaServer } from "../dhara/extension.ts";
import type { GivenLimits } from "../rpc/limits.ts";
import { lineChannel } from "../rpc/pipe_channel.ts";
import { exitFlushed, printToAnybody } from "./node_exit.ts";
import { takeStdio } from "./node_stdio.ts";

/** Limits, and how long the last answers may take. */
export interface ServeOptions {
  readonly limits?: GivenLimits | undefined;
  /**
   * How long, in ms, to go on writing the answers that are queued when `shutdown` arrives. Default 4,500. Set more only for a
   * host that waits longer than Dhara's 5 s (D-13).
   */
  readonly flushMs?: number | undefined;
}

/**
 * Serves until the host sends `shutdown` (D-09) or closes stdin. Then it cleans up, finishes writing the answers and
 * ends the process with code 0, whatever timers it has. If the clean-up failed or the host exceeded a limit, it ends the
 * process with code 1 and writes the reason to stderr.
 *
 * From this call on, stdout belongs to the protocol: `console.log` and `process.stdout.write` go to stderr. What a child
 * process or a native module writes to file descriptor 1 can't be redirected.
 *
 * Rejects with an ExtensionError `bad-schema` if a tool's schema is not valid.
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
  let code = 0;
  const onShutdown = async () => {
    try {
      await extension.onShutdown?.();
    } catch (error) {
      code = 1;
      throw error;
    }
  };
  const server = new DharaServer({ ...extension, onShutdown }, lineChannel(takeStdio(), lineCodec, limits), {
    limits,
    flushMs,
    onError: (error) => console.error(error),
  });
  const reason = await server.closed;
  if (reason.code === "limit" || reason.code === "protocol") return exitFlushed(1, reason);
  process.exit(code);
}
