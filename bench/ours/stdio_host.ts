import { node } from "../../src/adapters/node.ts";
import { DharaSession } from "../../src/dhara/host.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import type { ChildCommand } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import { serveExecute } from "./session.ts";

const platform = node();
const { command, args } = setup<ChildCommand>();
const child = await platform.spawn({ command, args, env: process.env as Record<string, string> });
const session = new DharaSession(pipeChannel(child.stdio, platform.codec(), "lines"), { id: "bench" });
await session.initialize({ cwd: platform.cwd() });
serveExecute((tool, input, options) => session.execute(tool, input, options), {
  childPid: child.pid,
  async close() {
    await session.shutdown();
    await child.exited;
  },
});
