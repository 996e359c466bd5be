/** An MX extension in Cloudflare's workerd, over its sockets. A worker can't start processes, so it can't host other programs. */
import { connect as dial, type Socket } from "cloudflare:sockets";
import type { Codec } from "../../codec/codec.ts";
import { loadCodec } from "../../codec/load_workerd.ts";
import { readMxEnvironment, splitAddress } from "../mx/environment.ts";
import { MxClient, type MxClientOptions } from "../mx/extension.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { pipeChannel } from "../rpc/pipe_channel.ts";
import { streamPipe } from "../rpc/stream_pipe.ts";
import { messageOf } from "../rpc/thrown.ts";

/** Where the host is, what the extension answers it, and its timeouts and limits. */
export interface ConnectOptions extends Omit<MxClientOptions, "id" | "token" | "protocol" | "codec"> {
  /** The object that has the MX_* variables (M-20): a worker's bindings, the `env` of its handlers. Other entries are not read. */
  readonly environment: object;
}

/**
 * The fastest codec in workerd.
 *
 * @example
 * ```ts not run: workerd alone has its sockets
 * import { pipeChannel, streamPipe } from "extwire";
 * import { codec } from "extwire/workerd";
 * const channel = pipeChannel(streamPipe(new TransformStream<Uint8Array>()), codec(), "lines");
 * await channel.close();
 * ```
 */
export function codec(): Codec {
  return loadCodec().codec;
}

/**
 * Connects to the host that `environment` names and says hello. The session lives as long as the handler that opened it,
 * or as the promise that the handler passed to `waitUntil`.
 *
 * Rejects with an ExtensionError: `start-failed` if a variable is missing or nothing listens at the address,
 * `handshake-failed` if the host refuses.
 *
 * @example
 * ```ts not run: workerd alone has its sockets
 * import { connect } from "extwire/workerd";
 * export default {
 *   async fetch(_request: Request, env: object) {
 *     const client = await connect({ environment: env });
 *     const vms = await client.listVms();
 *     await client.close();
 *     return Response.json(vms);
 *   },
 * };
 * ```
 */
export async function connect(options: ConnectOptions): Promise<MxClient> {
  const { environment, ...rest } = options;
  const { address, ...identity } = readMxEnvironment(environment);
  const socket = await open(address, identity.id);
  const channel = pipeChannel(streamPipe(socket), codec(), "frames", rest.limits);
  return await MxClient.connect(channel, { ...rest, ...identity, codec: codec() });
}

async function open(address: string, id: string): Promise<Socket> {
  const { host, port } = splitAddress(address);
  const socket = dial({ hostname: host, port });
  // The same failure comes from both: what is not awaited here would be reported as unhandled.
  socket.closed.catch(() => {});
  try {
    await socket.opened;
  } catch (cause) {
    throw new ExtensionError("start-failed", `no host of ${id} listens on ${address}: ${messageOf(cause)}`, {
      cause,
      extension: id,
    });
  }
  return socket;
}
