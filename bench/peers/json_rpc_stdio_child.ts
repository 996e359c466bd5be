import { JSONRPCServer } from "json-rpc-2.0";
import { echo } from "./echo.ts";
import { readLines } from "./json_rpc_lines.ts";

const server = new JSONRPCServer();
server.addMethod("tools/execute", echo);
readLines(process.stdin, (text) => {
  server.receive(JSON.parse(text)).then((response) => {
    if (response) process.stdout.write(`${JSON.stringify(response)}\n`);
  });
});
