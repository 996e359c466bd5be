import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { connectParent } from "../harness/sockets.ts";
import { echo } from "./echo.ts";

const socket = await connectParent();
const connection = createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
connection.onRequest("tools/execute", echo);
connection.listen();
