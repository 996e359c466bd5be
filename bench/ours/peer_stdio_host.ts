import { spawn } from "node:child_process";
import { scalarCodec as scalar } from "../../codec/scalar.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { type ChildCommand, serveCalls } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import type { EchoResult } from "../peers/echo.ts";
import { streams } from "./pipes.ts";

const { command, args } = setup<ChildCommand>();
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const peer = new Peer(pipeChannel(streams(child.stdout, child.stdin), scalar, "lines"));
serveCalls({
  call: (text) => peer.request("tools/execute", { toolName: "echo", input: { text } }) as Promise<EchoResult>,
  textOf: ({ content }) => content[0].text,
  childPid: child.pid,
  close: () => child.stdin.end(),
});
