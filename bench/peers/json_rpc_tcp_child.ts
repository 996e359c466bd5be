import { JSONRPCServer } from "json-rpc-2.0";
import { connectParent } from "../harness/sockets.ts";
import { echo } from "./echo.ts";
import { readLines } from "./json_rpc_lines.ts";

const socket = await connectParent();
const server = new JSONRPCServer();
server.addMethod("tools/execute", echo);
readLines(socket, (text) => {
  server.receive(JSON.parse(text)).then((response) => {
    if (response) socket.write(`${JSON.stringify(response)}\n`);
  });
});
