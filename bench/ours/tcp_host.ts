import { spawn } from "node:child_process";
import { node } from "../../src/adapters/node.ts";
import { DharaSession } from "../../src/dhara/host.ts";
import type { Pipe } from "../../src/rpc/pipe.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import type { ChildCommand } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import { serveExecute } from "./session.ts";

const platform = node();
const { command, args } = setup<ChildCommand>();
let accept: (pipe: Pipe) => void = () => {};
const accepted = new Promise<Pipe>((resolve) => {
  accept = resolve;
});
const listener = await platform.listen((pipe) => accept(pipe));
const child = spawn(command, [...args, listener.address], { stdio: ["ignore", "inherit", "inherit"] });
const session = new DharaSession(pipeChannel(await accepted, platform.codec(), "frames"), { id: "bench" });
await session.initialize({ cwd: platform.cwd() });
serveExecute((tool, input, options) => session.execute(tool, input, options), {
  childPid: child.pid,
  close: () => session.close(),
});
