import { connectParent } from "../harness/sockets.ts";
import { answerOf } from "./calls.ts";
import { frameReader, framesBytes } from "./frames.ts";

const socket = await connectParent();
socket.on(
  "data",
  frameReader((messages) => void socket.write(framesBytes(messages.map(answerOf)))),
);
