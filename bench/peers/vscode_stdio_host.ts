import { spawn } from "node:child_process";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { type ChildCommand, serveCalls } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import type { EchoResult } from "./echo.ts";

const { command, args } = setup<ChildCommand>();
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
connection.listen();
serveCalls({
  call: (text) => connection.sendRequest<EchoResult>("tools/execute", { toolName: "echo", input: { text } }),
  textOf: ({ content }) => content[0].text,
  childPid: child.pid,
  close() {
    connection.dispose();
    child.stdin.end();
  },
});
