import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { serveMany } from "../harness/many.ts";

const sockets = new Set<Socket>();
const server = createServer({ noDelay: true }, (socket) => {
  sockets.add(socket);
  const connection = createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
  connection.onRequest("host.v1.hello", async () => {
    // As an MX host asks for the status once the hello is answered.
    setImmediate(() => void connection.sendRequest("extension.v1.reportStatus", null));
    return { protocolVersion: 1, hostCapabilities: ["runtime.v1"], sessionId: "one-0123456789abcdef" };
  });
  connection.onRequest("host.v1.listVms", () => [{ id: "vm-1", name: "one" }]);
  connection.onClose(() => sockets.delete(socket));
  connection.listen();
});

serveMany({
  async expect(count) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return Array.from({ length: count }, () => ({
      port,
      hello: { token: "abc", protocolVersion: 1, extensionId: "one" },
    }));
  },
  close() {
    server.close();
    for (const socket of sockets) socket.destroy();
  },
});
