import { spawn } from "node:child_process";
import { type ChildCommand, serveCalls } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import { LimitCaller } from "./calls.ts";
import { lineReader, linesText } from "./lines.ts";

const { command, args } = setup<ChildCommand>();
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const caller = new LimitCaller((messages) => void child.stdin.write(linesText(messages)));
child.stdout.on(
  "data",
  lineReader((lines) => {
    for (const line of lines) caller.receive(line);
  }),
);
serveCalls({
  call: (text) => caller.call(text),
  textOf: ({ content }) => content[0].text,
  childPid: child.pid,
  close: () => child.stdin.end(),
});
