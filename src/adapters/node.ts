/**
 * The platform of Node, Deno and Bun, built on the `node:` modules that all three have. The modules for sockets and processes
 * are loaded on first use: a program that only defines tools, or hosts them in memory, does not spend 3 ms on them.
 */
import { loadCodec } from "../../codec/load.ts";
import type { Platform } from "../host/platform.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { messageOf } from "../rpc/thrown.ts";
import { listenOnLoopback } from "./node_listener.ts";
import { openFailure } from "./node_open_failure.ts";
import { spawnProcess } from "./node_process.ts";

export { type ConnectOptions, connect } from "./node_connect.ts";
export { NodePipe } from "./node_pipe.ts";
export { type ServeOptions, serve } from "./node_serve.ts";

/**
 * What a `Host` needs from Node, Deno or Bun: child processes, each the leader of its own group, and sockets on 127.0.0.1.
 *
 * @example
 * ```ts
 * import { Host } from "extwire";
 * import { node } from "extwire/node";
 * await using host = new Host(node());
 * ```
 */
export function node(): Platform {
  return {
    codec(onFallback) {
      const { codec, fallbackReason } = loadCodec();
      if (fallbackReason !== undefined) onFallback?.(fallbackReason);
      return codec;
    },
    spawn: spawnProcess,
    listen: listenOnLoopback,
    environment: ownVariables,
    cwd: workingFolder,
  };
}

/** Reads all names once, so that a missing permission of Deno is reported here and not as a fault of the extension. */
function ownVariables(): NodeJS.ProcessEnv {
  try {
    Object.keys(process.env);
  } catch (cause) {
    throw openFailure("the environment of this program could not be read", cause);
  }
  return process.env;
}

/** The folder that this program was started in may have been deleted. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const why = `the folder that this program works in does not exist any more (${messageOf(cause)}); start it in one that does`;
    throw new ExtensionError("start-failed", why, { cause });
  }
}
