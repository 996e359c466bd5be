import { node } from "../../src/adapters/node.ts";
import { dial } from "../../src/adapters/node_connect.ts";
import { DharaServer } from "../../src/dhara/extension.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { echoExtension } from "./echo_extension.ts";

const pipe = await dial(process.argv.at(-1) as string);
const server = new DharaServer(echoExtension, pipeChannel(pipe, node().codec(), "frames"));
await server.closed;
process.exit(0);
