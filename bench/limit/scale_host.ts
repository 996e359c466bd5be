/** Bare sockets and bare children: what the runtime itself needs for each. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Member } from "../harness/crowd.ts";
import { serveMany } from "../harness/many.ts";
import { frameReader, framesBytes } from "./frames.ts";

const servers: Server[] = [];
const sockets = new Set<Socket>();
const children: ChildProcess[] = [];

function accept(socket: Socket): void {
  sockets.add(socket);
  socket.on(
    "data",
    frameReader((messages) => void socket.write(framesBytes(messages.map(answer)))),
  );
  socket.on("close", () => sockets.delete(socket));
}

function answer(message: string): string {
  const { id } = JSON.parse(message) as { id: number };
  return `{"jsonrpc":"2.0","id":${id},"result":[{"id":"vm-1","name":"one"}]}`;
}

serveMany({
  async expect(count) {
    const members: Member[] = [];
    for (let i = 0; i < count; i++) {
      // A listener each, as the protocol has a port for each extension.
      const server = createServer({ noDelay: true }, accept);
      servers.push(server);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      members.push({ port: (server.address() as AddressInfo).port, hello: null });
    }
    return members;
  },
  async spawn(count, command, args) {
    await Promise.all(
      Array.from({ length: count }, async () => {
        const child = spawn(command, args, { stdio: "pipe" });
        children.push(child);
        child.stderr.on("data", () => {});
        child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize"}\n');
        await once(child.stdout, "data");
        child.stdout.on("data", () => {});
      }),
    );
  },
  close() {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
    for (const child of children) child.stdin?.end();
  },
});
