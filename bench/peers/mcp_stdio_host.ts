import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { type ChildCommand, serveCalls } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";

const { command, args } = setup<ChildCommand>();
// It passes few variables on; without this one its server prints a warning about listeners on each burst.
const env = { ...getDefaultEnvironment(), NODE_NO_WARNINGS: "1" };
const transport = new StdioClientTransport({ command, args: [...args], env });
const client = new Client({ name: "bench", version: "1.0.0" });
await client.connect(transport);
serveCalls({
  call: (text) => client.callTool({ name: "echo", arguments: { text } }),
  textOf: ({ content }) => (content as [{ text: string }])[0].text,
  childPid: transport.pid ?? undefined,
  close: () => client.close(),
});
