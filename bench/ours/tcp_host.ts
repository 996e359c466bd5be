import { node } from "../../src/adapters/node.ts";
import { DharaSession } from "../../src/dhara/host.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { acceptChild } from "./accept_child.ts";
import { serveExecute } from "./session.ts";

const platform = node();
const { pipe, child } = await acceptChild(platform);
const session = new DharaSession(pipeChannel(pipe, platform.codec(), "frames"), { id: "bench" });
await session.initialize({ cwd: platform.cwd() });
serveExecute((tool, input, options) => session.execute(tool, input, options), {
  childPid: child.pid,
  close: () => session.close(),
});
