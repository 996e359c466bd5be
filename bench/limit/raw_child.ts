import { headerOf, RawReceiver } from "./raw_receiver.ts";
import { transportOf } from "./raw_transport.ts";

const [kind, port] = process.argv.slice(-2);
const receiver = new RawReceiver((bytes) => void socket.write(headerOf(bytes), bytes));
const socket = await transportOf(kind).connect(Number(port), (chunk) => {
  if (chunk === undefined) process.exit(0);
  receiver.push(chunk);
});
