import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { type ChildCommand, serveCalls } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import { acceptChild } from "../harness/sockets.ts";
import type { EchoResult } from "./echo.ts";

const { socket, child } = await acceptChild(setup<ChildCommand>());
const connection = createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
connection.listen();
serveCalls({
  call: (text) => connection.sendRequest<EchoResult>("tools/execute", { toolName: "echo", input: { text } }),
  textOf: ({ content }) => content[0].text,
  childPid: child.pid,
  close() {
    connection.dispose();
    socket.destroy();
  },
});
