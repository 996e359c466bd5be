/** Raw sockets for `bulk`: length and bytes go out, length and bytes come back. */
import { spawn } from "node:child_process";
import { serveBulk } from "../harness/bulk.ts";
import type { ChildCommand } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import { headerOf, RawReceiver } from "./raw_receiver.ts";
import { transportOf } from "./raw_transport.ts";

const { command, args } = setup<ChildCommand>();
let back: (bytes: Uint8Array) => void = () => {};
const receiver = new RawReceiver((bytes) => back(bytes));
const { port, accepted } = await transportOf(args.at(-1)).listen((chunk) => chunk && receiver.push(chunk));
const child = spawn(command, [...args, String(port)], { stdio: ["ignore", "inherit", "inherit"] });
const socket = await accepted;
serveBulk({
  exchange: (payload) =>
    new Promise((resolve) => {
      back = resolve;
      void socket.write(headerOf(payload), payload);
    }),
  childPid: child.pid,
  close: () => socket.close(),
});
