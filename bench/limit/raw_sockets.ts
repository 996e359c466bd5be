/** The raw sockets of a runtime in their fastest uses: the limit of `bulk` is whichever of them is the fastest. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface RawSocket {
  /** Writes both in order, uncopied. A promise of it settles once the runtime wants more. */
  write(header: Uint8Array, payload: Uint8Array): Promise<void> | undefined;
  close(): void;
}

/** Takes every chunk, which it reads only during the call, and undefined at the end. */
export type RawReader = (chunk: Uint8Array | undefined) => void;

export interface RawTransport {
  /** Listens on a free port; `accepted` gives the first connection. */
  listen(reader: RawReader): Promise<{ port: number; accepted: Promise<RawSocket> }>;
  connect(port: number, reader: RawReader): Promise<RawSocket>;
}

const hostname = "127.0.0.1";
/** As large as what Node reads at once. */
const readBytes = 65_536;

/** With `ownBytes` the connecting side receives into one buffer of its own, so large; accepted sockets know only data events. */
export function nodeTransport(ownBytes: number): RawTransport {
  return {
    async listen(reader) {
      const server = createServer({ noDelay: true });
      server.listen(0, hostname);
      await once(server, "listening");
      const accepted = once(server, "connection").then(([socket]) => {
        server.close();
        (socket as Socket).on("data", reader);
        return nodeSocket(socket as Socket, reader);
      });
      return { port: (server.address() as AddressInfo).port, accepted };
    },
    async connect(port, reader) {
      const buffer = new Uint8Array(ownBytes);
      const callback = (length: number): boolean => {
        reader(buffer.subarray(0, length));
        return true;
      };
      const options = { port, host: hostname, noDelay: true };
      const socket = connect(ownBytes > 0 ? { ...options, onread: { buffer, callback } } : options);
      await once(socket, "connect");
      if (ownBytes === 0) socket.on("data", reader);
      return nodeSocket(socket, reader);
    },
  };
}

function nodeSocket(socket: Socket, reader: RawReader): RawSocket {
  socket.once("close", () => reader(undefined));
  return {
    write(header, payload) {
      socket.cork();
      socket.write(header);
      socket.write(payload);
      socket.uncork();
      return undefined;
    },
    close: () => void socket.destroy(),
  };
}

interface DenoConn {
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/** What is used of Deno's own sockets. */
export interface DenoNet {
  connect(options: { port: number; hostname: string }): Promise<DenoConn>;
  listen(options: { port: number; hostname: string }): { addr: { port: number }; accept(): Promise<DenoConn> };
}

export function denoTransport(deno: DenoNet): RawTransport {
  return {
    async listen(reader) {
      const listener = deno.listen({ port: 0, hostname });
      return { port: listener.addr.port, accepted: listener.accept().then((conn) => denoSocket(conn, reader)) };
    },
    connect: async (port, reader) => denoSocket(await deno.connect({ port, hostname }), reader),
  };
}

function denoSocket(conn: DenoConn, reader: RawReader): RawSocket {
  const buffer = new Uint8Array(readBytes);
  const read = async (): Promise<void> => {
    for (;;) {
      const length = await conn.read(buffer);
      if (length === null) return reader(undefined);
      reader(buffer.subarray(0, length));
    }
  };
  read().catch(() => reader(undefined));
  return {
    async write(header, payload) {
      for (let part of [header, payload]) while (part.length > 0) part = part.subarray(await conn.write(part));
    },
    close: () => conn.close(),
  };
}

interface BunSocket {
  write(bytes: Uint8Array): number;
  end(): void;
}

interface BunHandlers {
  open(socket: BunSocket): void;
  data(socket: BunSocket, chunk: Uint8Array): void;
  drain(): void;
  close(): void;
}

/** What is used of Bun's own sockets. */
export interface BunNet {
  connect(options: { port: number; hostname: string; socket: BunHandlers }): unknown;
  listen(options: { port: number; hostname: string; socket: BunHandlers }): { port: number };
}

export function bunTransport(bun: BunNet): RawTransport {
  const open = (start: (socket: BunHandlers) => unknown, reader: RawReader): Promise<RawSocket> =>
    new Promise((resolve) => {
      let drained = (): void => {};
      const write = async (socket: BunSocket, parts: readonly Uint8Array[]): Promise<void> => {
        for (let part of parts) {
          for (;;) {
            part = part.subarray(socket.write(part));
            if (part.length === 0) break;
            await new Promise<void>((more) => {
              drained = more;
            });
          }
        }
      };
      start({
        open: (socket) =>
          resolve({ write: (header, payload) => write(socket, [header, payload]), close: () => socket.end() }),
        data: (_, chunk) => reader(chunk),
        drain: () => drained(),
        close: () => reader(undefined),
      });
    });
  return {
    async listen(reader) {
      let port = 0;
      const accepted = open((socket) => {
        ({ port } = bun.listen({ port: 0, hostname, socket }));
      }, reader);
      return { port, accepted };
    },
    connect: (port, reader) => open((socket) => bun.connect({ port, hostname, socket }), reader),
  };
}
