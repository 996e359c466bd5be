import { type ChildCommand, serveCalls } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";
import { acceptChild } from "../harness/sockets.ts";
import { LimitCaller } from "./calls.ts";
import { frameReader, framesBytes } from "./frames.ts";

const { socket, child } = await acceptChild(setup<ChildCommand>());
const caller = new LimitCaller((messages) => void socket.write(framesBytes(messages)));
socket.on(
  "data",
  frameReader((messages) => {
    for (const message of messages) caller.receive(message);
  }),
);
serveCalls({
  call: (text) => caller.call(text),
  textOf: ({ content }) => content[0].text,
  childPid: child.pid,
  close: () => socket.destroy(),
});
