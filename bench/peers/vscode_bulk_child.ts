import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { connectParent } from "../harness/sockets.ts";

const socket = await connectParent();
const connection = createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
connection.onRequest("echo", ({ data }: { data: string }) => {
  const bytes = Buffer.from(data, "base64");
  return { data: bytes.toString("base64") };
});
connection.listen();
