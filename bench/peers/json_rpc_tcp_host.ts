import { JSONRPCClient } from "json-rpc-2.0";
import { type ChildCommand, serveCalls } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import { acceptChild } from "../harness/sockets.ts";
import type { EchoResult } from "./echo.ts";
import { readLines } from "./json_rpc_lines.ts";

const { socket, child } = await acceptChild(setup<ChildCommand>());
const client = new JSONRPCClient((request) => void socket.write(`${JSON.stringify(request)}\n`));
readLines(socket, (text) => client.receive(JSON.parse(text)));
serveCalls({
  call: (text) =>
    client.request("tools/execute", {
      toolName: "echo",
      input: { text },
    }) as PromiseLike<EchoResult> as Promise<EchoResult>,
  textOf: ({ content }) => content[0].text,
  childPid: child.pid,
  close: () => socket.destroy(),
});
