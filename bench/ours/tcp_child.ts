import { connect } from "node:net";
import { NodePipe, node } from "../../src/adapters/node.ts";
import { DharaServer } from "../../src/dhara/extension.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { echoExtension } from "./echo_extension.ts";

const [host, port] = (process.argv.at(-1) as string).split(":");
const socket = connect({ host: host as string, port: Number(port), noDelay: true, allowHalfOpen: true });
const server = new DharaServer(echoExtension, pipeChannel(new NodePipe(socket, socket), node().codec(), "frames"));
await server.closed;
process.exit(0);
