/** The host's side of MX v1 in its plainest form: frames on a socket, judged by the test alone. */
import assert from "node:assert/strict";
import { createServer, type Server, type Socket } from "node:net";
import type { Json } from "./raw_dhara.ts";

export class RawMxHost {
  readonly #server: Server;

  readonly #first: Promise<RawMxConnection>;

  private constructor(server: Server) {
    this.#server = server;
    this.#first = new Promise((resolve) => {
      server.once("connection", (socket) => resolve(new RawMxConnection(socket)));
    });
  }

  static async listen(): Promise<RawMxHost> {
    const server = createServer({ noDelay: true });
    const host = new RawMxHost(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return host;
  }

  get environment(): Record<string, string> {
    const { port } = this.#server.address() as { port: number };
    return {
      MX_EXTENSION_HOST: `127.0.0.1:${port}`,
      MX_EXTENSION_TOKEN: "t0ken",
      MX_EXTENSION_ID: "com.example.one",
      MX_EXTENSION_PROTOCOL: "1",
    };
  }

  /** The first connection. */
  connection(): Promise<RawMxConnection> {
    return this.#first;
  }

  close(): void {
    this.#server.close();
  }
}

export class RawMxConnection {
  readonly socket: Socket;
  readonly #queue: Json[] = [];
  #rest = Buffer.alloc(0);
  #waiting: (() => void)[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      while (this.#rest.length >= 4 && this.#rest.length >= 4 + this.#rest.readUInt32BE(0)) {
        const end = 4 + this.#rest.readUInt32BE(0);
        assert.equal(this.#rest[4], 0, "an extension sends JSON only");
        this.#queue.push(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(this.#rest.subarray(5, end))));
        this.#rest = this.#rest.subarray(end);
      }
      for (const arrived of this.#waiting.splice(0)) arrived();
    });
  }

  /** The first message that `wanted` picks; others keep their place. */
  async next(wanted: (message: Json) => boolean = () => true): Promise<Json> {
    for (;;) {
      const at = this.#queue.findIndex(wanted);
      if (at !== -1) return this.#queue.splice(at, 1)[0];
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  send(message: object): void {
    this.frame(0, Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message })));
  }

  frame(kind: number, body: Uint8Array): void {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(body.length + 1, 0);
    head[4] = kind;
    this.socket.write(Buffer.concat([head, body]));
  }

  /** An attachment of the integer id `id`, laid out by hand. */
  attachment(id: number, role: string, bytes: Uint8Array): void {
    const head = Buffer.alloc(9 + 4);
    head.writeBigInt64BE(BigInt(id), 1);
    head.writeUInt32BE(Buffer.byteLength(role), 9);
    this.frame(1, Buffer.concat([head, Buffer.from(role), bytes]));
  }
}

/** A framebuffer of `width` × `height` RGBA pixels with a byte of padding a row. */
export function framebuffer(width: number, height: number): Buffer {
  const stride = width * 4 + 4;
  const head = Buffer.alloc(24);
  head.write("mxfb0001", 0, "latin1");
  head.writeUInt32BE(width, 8);
  head.writeUInt32BE(height, 12);
  head.writeUInt32BE(stride, 16);
  head.writeUInt32BE(0, 20);
  return Buffer.concat([head, Buffer.alloc(height * stride, 7)]);
}
