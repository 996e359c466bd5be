import { node } from "../../src/adapters/node.ts";
import { Host } from "../../src/host/host.ts";
import type { ChildCommand } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import { serveExecute } from "./session.ts";

const { command, args } = setup<ChildCommand>();
const host = new Host(node());
await host.start({ id: "bench", protocol: "dhara", command, args });
serveExecute((tool, input, options) => host.execute(tool, input, options), {
  childPid: host.extensions()[0]?.pid,
  close: () => host.close(),
});
