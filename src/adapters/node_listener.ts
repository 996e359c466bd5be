/** TCP on loopback in Node, Deno and Bun. */
import type { AddressInfo, Server, Socket } from "node:net";
import type { Listener } from "../host/platform.ts";
import type { Pipe } from "../rpc/pipe.ts";
import { loopbackRefusal } from "./deno_permission.ts";
import { openFailure } from "./node_open_failure.ts";
import { NodePipe } from "./node_pipe.ts";

const NO_PORT = "no port on 127.0.0.1 could be opened";

/** Listens on 127.0.0.1 only, on a free port. */
export async function listenOnLoopback(accept: (pipe: Pipe) => void): Promise<Listener> {
  const refusal = loopbackRefusal();
  if (refusal !== undefined) throw openFailure(NO_PORT, new Error(refusal));
  const { createServer } = process.getBuiltinModule("node:net");
  const server = createServer({ allowHalfOpen: true, noDelay: true }, handOver(accept));
  await listening(server);
  return new LoopbackListener(server);
}

class LoopbackListener implements Listener {
  readonly address: string;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    // Its callback would wait for the connections that live on.
    if (this.#server.listening) this.#server.close();
    return Promise.resolve();
  }
}

/** Made apart from all that is only of use until the server listens: a function holds all that the functions beside it use. */
function handOver(accept: (pipe: Pipe) => void): (socket: Socket) => void {
  return (socket) => accept(new NodePipe(socket, socket));
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error) => reject(openFailure(NO_PORT, cause));
    server.on("error", failed);
    server.listen(0, "127.0.0.1", () => {
      server.off("error", failed).on("error", ignore);
      resolve();
    });
  });
}

/** Once it listens an error ends nothing: the connection that could not be taken (no free descriptor) fails at its other end. */
function ignore(): void {}
