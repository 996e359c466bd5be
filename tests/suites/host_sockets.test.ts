/** Sockets as the host sees them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, test } from "node:test";
import { encodeFrames } from "../../codec/encode.ts";
import { node } from "../../src/adapters/node.ts";
import type { Pipe } from "../../src/rpc/pipe.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { pattern, read } from "../support/pipes.ts";

const platform = node();

describe("a listener", () => {
  async function pair(): Promise<{ pipe: Pipe; socket: Socket; close: () => Promise<void>; port: number }> {
    let accepted = (_pipe: Pipe) => {};
    const pipe = new Promise<Pipe>((resolve) => {
      accepted = resolve;
    });
    const listener = await platform.listen((each) => accepted(each));
    const [host, port] = listener.address.split(":");
    assert.equal(host, "127.0.0.1");
    const socket = connect({ host: "127.0.0.1", port: Number(port), allowHalfOpen: true });
    await once(socket, "connect");
    return { pipe: await pipe, socket, close: () => listener.close(), port: Number(port) };
  }

  test("[B5] [B6] sends 8 MB in many parts, whole and in order, to a reader that starts late", async () => {
    const { pipe, socket, close } = await pair();
    const parts = [Uint8Array.of(1, 2), pattern(4 << 20), Uint8Array.of(3), pattern((4 << 20) + 7), pattern(9)];
    read(pipe);
    const sent = (async () => {
      await pipe.write(parts);
      await pipe.end();
    })();
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    await sent;
    assert.ok(Buffer.concat(chunks).equals(Buffer.concat(parts)));
    socket.destroy();
    await close();
  });

  test("[B6] what was sent before a connection is closed arrives whole, though the other side goes on sending", async () => {
    const { pipe, socket, close } = await pair();
    const channel = pipeChannel(pipe, platform.codec(), "frames");
    channel.open({ text() {}, binary() {}, diagnostic() {}, closed() {} });
    const sent = pattern(8 << 20);
    channel.send([sent]);
    const closed = channel.close(60_000);
    const talking = setInterval(() => socket.write(encodeFrames(['{"jsonrpc":"2.0","method":"more"}'])[0]!), 1);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    clearInterval(talking);
    assert.ok(Buffer.concat(chunks).subarray(5).equals(sent));
    socket.end();
    await closed;
    await close();
  });

  test("still answers a peer that has finished sending, and lets connections live on when it closes", async () => {
    const { pipe, socket, close, port } = await pair();
    await close();
    await close();
    const late = connect({ host: "127.0.0.1", port });
    await assert.rejects(once(late, "connect"), /ECONNREFUSED/);
    const input = read(pipe);
    const said: string[] = [];
    socket.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    socket.end("question");
    assert.equal(await input.ended, undefined);
    assert.equal(input.text(), "question");
    await pipe.write([new TextEncoder().encode("answer")]);
    await pipe.end();
    await once(socket, "close");
    assert.deepEqual(said, ["answer"]);
    await assert.rejects(async () => pipe.write([Uint8Array.of(1)]));
  });

  test("[B13] a connection that the peer resets, or that is destroyed here, ends once", async () => {
    const { pipe, socket, close } = await pair();
    let ends = 0;
    const ended = new Promise<void>((resolve) => {
      pipe.open({
        data() {},
        end() {
          ends++;
          resolve();
        },
      });
    });
    const write = pipe.write([pattern(20 << 20)]);
    socket.resetAndDestroy();
    await assert.rejects(async () => write);
    await ended;
    pipe.destroy();
    await pipe.end();
    assert.equal(ends, 1);
    await close();
  });

  test("takes nothing to write after its end, may be ended twice, and goes on hearing its peer", async () => {
    const { pipe, socket, close } = await pair();
    const input = read(pipe);
    const heard = once(socket, "end");
    socket.resume();
    await pipe.end();
    await pipe.end();
    await assert.rejects(async () => pipe.write([Uint8Array.of(1)]), {
      code: "closed",
      message: "the connection is closed",
    });
    await heard;
    socket.end("still there");
    assert.equal(await input.ended, undefined);
    assert.equal(input.text(), "still there");
    await close();
  });

  test("[B13] a write that waits is refused when the connection is destroyed here, and its peer sees the end", async () => {
    const { pipe, socket, close } = await pair();
    let ends = 0;
    pipe.open({ data() {}, end: () => void ends++ });
    const write = pipe.write([pattern(20 << 20)]);
    const refused = assert.rejects(async () => write, { code: "closed" });
    pipe.destroy();
    await refused;
    await new Promise<void>((resolve) => {
      const over = () => resolve();
      socket.on("end", over).on("error", over).resume();
    });
    socket.destroy();
    assert.ok(ends <= 1);
    await close();
  });

  test("[X-15] hears nobody but this machine, and each has a port of its own", async () => {
    const one = await platform.listen(() => {});
    const two = await platform.listen(() => {});
    assert.notEqual(one.address, two.address);
    const port = Number(one.address.split(":")[1]);
    const outside = Object.values(networkInterfaces())
      .flat()
      .filter((each) => each && !each.internal && each.family === "IPv4");
    for (const each of outside) {
      await assert.rejects(once(connect({ host: each!.address, port }), "connect"), /ECONNREFUSED/);
    }
    await one.close();
    await two.close();
  });
});
