/** An MX extension as a process of its own on Node, Deno or Bun. */
import { scalarCodec } from "../../codec/scalar.ts";
import { readMxEnvironment, splitAddress } from "../mx/environment.ts";
import { MxClient, type MxClientOptions } from "../mx/extension.ts";
import type { Pipe } from "../rpc/pipe.ts";
import { pipeChannel } from "../rpc/pipe_channel.ts";
import { asError } from "../rpc/thrown.ts";
import { within } from "../rpc/within.ts";
import { exitFlushed, printToAnybody } from "./node_exit.ts";
import { openFailure } from "./node_open_failure.ts";
import { type Inbound, NodePipe } from "./node_pipe.ts";

/** One buffer for all reads, which a picture goes through on its way to its own: half the cost of a new one for each read. */
const READ_BYTES = 256 * 1024;
/** How long cleaning up may take once the host is gone, in ms: as long as a host waits when it asks (M-19). */
const CLEAN_UP_MS = 2_000;

/** Where the host is, what the extension answers it, and its timeouts and limits. */
export interface ConnectOptions extends Omit<MxClientOptions, "id" | "token" | "protocol" | "codec"> {
  /** The object that has the `MX_*` variables. Default: the environment of the process. */
  readonly environment?: object | undefined;
  /**
   * Whether the process exits when the connection ends, whatever timers it has: with code 0 if the host asked for a
   * shutdown, else with 1. Default true. Ending the connection with `close` never ends the process.
   */
  readonly exit?: boolean | undefined;
}

/**
 * Connects to the host that started this process and says hello (M-14, M-20). `onShutdown` is called once, when the
 * host asks for a shutdown or is gone.
 *
 * Rejects with an ExtensionError: `start-failed` if a variable is missing or nothing listens at the address,
 * `handshake-failed` if the host refuses.
 *
 * @example
 * ```ts not run: a host starts it, with its variables
 * import { connect } from "extwire/node";
 * const session = await connect({ version: "0.1.0", status: () => ({ state: "ready", message: "watching" }) });
 * console.log(await session.listVms());
 * ```
 */
export async function connect(options: ConnectOptions = {}): Promise<MxClient> {
  const { environment = process.env, exit = true, onShutdown, ...rest } = options;
  const { address, ...identity } = readMxEnvironment(environment);
  let asked = false;
  let cleaned: Promise<void> | undefined;
  const cleanUp = () => {
    cleaned ??= (async () => {
      await onShutdown?.();
    })();
    return cleaned;
  };
  if (exit) printToAnybody();
  const channel = pipeChannel(await dial(address), scalarCodec, "frames", options.limits);
  const client = await MxClient.connect(channel, {
    ...rest,
    ...identity,
    codec: scalarCodec,
    onShutdown: () => {
      asked = true;
      return cleanUp();
    },
  });
  void client.closed.then(async (reason) => {
    if (reason.code === "closed" && !asked) return;
    const failure = await within(cleanUp(), CLEAN_UP_MS).then(() => undefined, asError);
    // What answers the host is still being written.
    await client.close();
    if (!exit) return;
    if (failure !== undefined) void exitFlushed(1, failure);
    else if (asked) void exitFlushed(0);
    else void exitFlushed(1, reason.code === "disconnected" ? undefined : reason);
  });
  return client;
}

/** Connects to `127.0.0.1:port`. Rejects with an ExtensionError `start-failed`. */
export function dial(address: string): Promise<Pipe> {
  const net = process.getBuiltinModule("node:net");
  return new Promise((resolve, reject) => {
    const inbound: Inbound = { take() {} };
    const callback = (length: number, buffer: Uint8Array) => {
      inbound.take(buffer.subarray(0, length));
      return true;
    };
    const onread = { buffer: new Uint8Array(READ_BYTES), callback };
    const socket = net.connect({ ...splitAddress(address), noDelay: true, allowHalfOpen: true, onread });
    // Nothing may come before somebody takes it.
    socket.pause();
    const failed = (cause: NodeJS.ErrnoException) => {
      const refused = cause.code === "ECONNREFUSED";
      reject(openFailure(refused ? `no host listens at ${address}` : `${address} could not be reached`, cause));
    };
    socket.once("error", failed);
    socket.once("connect", () => {
      socket.off("error", failed);
      resolve(new NodePipe(socket, socket, inbound));
    });
  });
}
