/** Bytes through vscode-jsonrpc go as base64, which is all that its messages can carry. */
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { serveBulk } from "../harness/bulk.ts";
import type { ChildCommand } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import { acceptChild } from "../harness/sockets.ts";

const { socket, child } = await acceptChild(setup<ChildCommand>());
const connection = createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
connection.listen();
serveBulk({
  async exchange(payload) {
    const data = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("base64");
    const back = await connection.sendRequest<{ data: string }>("echo", { data });
    return Buffer.from(back.data, "base64");
  },
  childPid: child.pid,
  close() {
    connection.dispose();
    socket.destroy();
  },
});
