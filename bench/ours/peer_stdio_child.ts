import { scalarCodec as scalar } from "../../codec/scalar.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { type EchoParams, echo } from "../peers/echo.ts";
import { streams } from "./pipes.ts";

new Peer(pipeChannel(streams(process.stdin, process.stdout), scalar, "lines"), {
  async request(_method, params) {
    return echo(params as EchoParams);
  },
});
