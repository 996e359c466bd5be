/** Runs a Dhara extension on the stdin and stdout of this process, in Node, Deno and Bun. */
import { lineCodec } from "../../codec/line_codec.ts";
import type { Extension } from "../dhara/define.ts";
import { DharaServer } from "../dhara/extension.ts";
import type { Limits } from "../rpc/limits.ts";
import { lineChannel } from "../rpc/pipe_channel.ts";
import { takeStdio } from "./node_stdio.ts";

/** Limits of what is served. */
export interface ServeOptions {
  readonly limits?: Partial<Limits> | undefined;
}

/**
 * Serves until the host sends `shutdown` (D-09) or ends stdin, then cleans up, lets the last complete line
 * leave, and ends the process with code 0, whatever timers it has. Stdout belongs to the protocol from here on:
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
  await extension.prepare();
  const { limits } = options;
  const server = new DharaServer(extension, lineChannel(takeStdio(), lineCodec, limits), {
    limits,
    onError: (error) => console.error(error),
  });
  await server.closed;
  process.exit(0);
}
