import { spawn } from "node:child_process";
import { JSONRPCClient } from "json-rpc-2.0";
import { type ChildCommand, serveCalls } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import type { EchoResult } from "./echo.ts";
import { readLines } from "./json_rpc_lines.ts";

const { command, args } = setup<ChildCommand>();
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const client = new JSONRPCClient((request) => void child.stdin.write(`${JSON.stringify(request)}\n`));
readLines(child.stdout, (text) => client.receive(JSON.parse(text)));
serveCalls({
  call: (text) =>
    client.request("tools/execute", {
      toolName: "echo",
      input: { text },
    }) as PromiseLike<EchoResult> as Promise<EchoResult>,
  textOf: ({ content }) => content[0].text,
  childPid: child.pid,
  close: () => child.stdin.end(),
});
