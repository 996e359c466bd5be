/** The calling side of a suite over TCP listens, starts the other side with its port, and takes its connection. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { ChildCommand } from "./calls.ts";

export async function acceptChild({ command, args }: ChildCommand): Promise<{ socket: Socket; child: ChildProcess }> {
  const server = createServer({ noDelay: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const child = spawn(command, [...args, String((server.address() as AddressInfo).port)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [socket] = (await once(server, "connection")) as [Socket];
  server.close();
  return { socket, child };
}

/** What `acceptChild` started, on its side. */
export async function connectParent(): Promise<Socket> {
  const socket = connect({ port: Number(process.argv.at(-1)), host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  socket.once("close", () => process.exit(0));
  return socket;
}
