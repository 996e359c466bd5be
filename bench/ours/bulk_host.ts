/** Attachments of MX frames between two peers: the role and id of each are written and read as the protocol has them. */
import { node } from "../../src/adapters/node.ts";
import { attachmentMessage, FRAMEBUFFER_ROLE, readAttachment } from "../../src/mx/attachment.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { serveBulk } from "../harness/bulk.ts";
import { acceptChild } from "./accept_child.ts";

const platform = node();
const { pipe, child } = await acceptChild(platform);
let back: (bytes: Uint8Array) => void = () => {};
let giveBack: (() => void) | undefined;
const peer = new Peer(pipeChannel(pipe, platform.codec(), "frames"), {
  binary(body, offset, recycle) {
    giveBack = recycle;
    back(readAttachment(body, offset).bytes);
  },
});
let id = 0;
serveBulk({
  exchange: (payload) =>
    new Promise((resolve) => {
      // What came last is valid until now.
      giveBack?.();
      back = resolve;
      void peer.sendBinary(attachmentMessage(++id, FRAMEBUFFER_ROLE, [payload]));
    }),
  childPid: child.pid,
  close: () => peer.close(),
});
