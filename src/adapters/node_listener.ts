/** TCP on loopback in Node, Deno and Bun. */
import type { AddressInfo } from "node:net";
import type { Listener } from "../host/platform.ts";
import type { Pipe } from "../rpc/pipe.ts";
import { loopbackRefusal } from "./deno_permission.ts";
import { openFailure } from "./node_open_failure.ts";
import { NodePipe } from "./node_pipe.ts";

const NO_PORT = "no port of 127.0.0.1 could be opened";

/** Listens on 127.0.0.1 only, on a free port. */
export function listenOnLoopback(accept: (pipe: Pipe) => void): Promise<Listener> {
  const { createServer } = process.getBuiltinModule("node:net");
  return new Promise((resolve, reject) => {
    const refusal = loopbackRefusal();
    if (refusal !== undefined) return reject(openFailure(NO_PORT, new Error(refusal)));
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      accept(new NodePipe(socket, socket)),
    );
    const failed = (cause: Error) => reject(openFailure(NO_PORT, cause));
    // Once it listens an error ends nothing: the connection that could not be taken (no free descriptor) fails at its other end.
    server.on("error", failed);
    server.listen(0, "127.0.0.1", () => {
      resolve({
        address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
        close() {
          // Its callback would wait for the connections that live on.
          if (server.listening) server.close();
          return Promise.resolve();
        },
      });
    });
  });
}
