import { node } from "../../src/adapters/node.ts";
import { dial } from "../../src/adapters/node_connect.ts";
import { attachmentMessage, readAttachment } from "../../src/mx/attachment.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";

const pipe = await dial(process.argv.at(-1) as string);
const peer = new Peer(pipeChannel(pipe, node().codec(), "frames"), {
  binary(body, offset, recycle) {
    const { id, role, bytes } = readAttachment(body, offset);
    void peer.sendBinary(attachmentMessage(Number(id), role, [bytes])).then(recycle);
  },
  closed: () => process.exit(0),
});
