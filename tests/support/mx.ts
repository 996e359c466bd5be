/** Both ends of an MX connection for tests: ours, and ones that write their bytes by hand. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { scalarCodec } from "../../codec/scalar.ts";
import { dial } from "../../src/adapters/node_connect.ts";
import { listenOnLoopback } from "../../src/adapters/node_listener.ts";
import { MxClient, type MxClientOptions } from "../../src/mx/extension.ts";
import { MxGate, type MxGateOptions, type MxSession } from "../../src/mx/host.ts";
import { testPattern } from "../../src/mx/test_pattern.ts";
import type { Diagnostic } from "../../src/rpc/channel.ts";
import type { ExtensionError } from "../../src/rpc/errors.ts";
import type { Pipe } from "../../src/rpc/pipe.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { Inbox } from "./inbox.ts";
import { cutFrames, type Json, jsonFrame, type RawFrame, textOf } from "./messages.ts";

export const ID = "com.example.one";

/** Nobody listens there, and no system gives that port out: one that was open a moment ago may be somebody else's by now. */
export const DEAD_ADDRESS = "127.0.0.1:2";

/** For what must not run out, however busy the machine is. */
export const PATIENCE_MS = 60_000;

/** A socket that knows nothing but frames: it reads them with the simplest code there is, and writes what it is told. */
export class RawEnd {
  readonly socket: Socket;
  readonly frames = new Inbox<RawFrame>();
  /** Settles when the other side has ended or broken the connection. */
  readonly ended: Promise<void>;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", cutFrames(this.frames.push));
    this.ended = new Promise((resolve) => {
      const over = () => {
        this.frames.end(new Error("the connection has ended"));
        resolve();
      };
      socket.on("end", over).on("error", over).on("close", over);
    });
  }

  /** Resolves once the system has taken the bytes. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }

  send(message: Json): void {
    this.socket.write(jsonFrame(message));
  }

  /** The next frame, which must be of kind 0. */
  async json(): Promise<Json> {
    const { kind, body } = await this.frames.next();
    if (kind !== 0) throw new Error(`a frame of kind ${kind} came where JSON was expected`);
    return JSON.parse(textOf(body));
  }

  /** The first JSON message that `wanted` picks; others keep their place. */
  async pick(wanted: (message: Json) => boolean): Promise<Json> {
    const read = ({ body }: RawFrame): Json => JSON.parse(textOf(body));
    return read(await this.frames.next((each) => each.kind === 0 && wanted(read(each))));
  }

  /** Sends a request and takes the next frame as its answer. */
  ask(id: number | string, method: string, params?: Json): Promise<Json> {
    this.send({ jsonrpc: "2.0", id, method, params });
    return this.json();
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** Connects by hand to `127.0.0.1:port`. */
function rawConnect(address: string): Promise<RawEnd> {
  const [host, port] = address.split(":") as [string, string];
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), noDelay: true });
    socket.once("error", reject).once("connect", () => resolve(new RawEnd(socket)));
  });
}

/** Our host on a real socket. */
export class TestGate {
  readonly gate: MxGate;
  readonly sessions = new Inbox<MxSession>();
  readonly refused = new Inbox<ExtensionError>();
  readonly diagnostics = new Inbox<Diagnostic>();
  /** Connections that it has taken, whoever they are. */
  readonly accepted = new Inbox<Pipe>();
  address = "";
  token = "";
  #closeListener = () => Promise.resolve();

  private constructor(options: Partial<MxGateOptions>) {
    this.gate = new MxGate({
      id: ID,
      codec: scalarCodec,
      vms: testPattern({ width: 8, height: 4 }),
      helloTimeoutMs: PATIENCE_MS,
      statusTimeoutMs: PATIENCE_MS,
      onSession: this.sessions.push,
      onRefused: this.refused.push,
      onDiagnostic: this.diagnostics.push,
      ...options,
    });
  }

  static async open(options: Partial<MxGateOptions> = {}): Promise<TestGate> {
    const made = new TestGate(options);
    const listener = await listenOnLoopback((pipe) => {
      made.gate.accept(pipe);
      made.accepted.push(pipe);
    });
    made.address = listener.address;
    made.token = made.gate.environment(listener.address).MX_EXTENSION_TOKEN;
    made.#closeListener = () => listener.close();
    return made;
  }

  connect(): Promise<RawEnd> {
    return rawConnect(this.address);
  }

  /** The hello that this gate accepts, but for what `params` changes. */
  hello(params: Json = {}, id: number | string = 1): Json {
    return {
      jsonrpc: "2.0",
      id,
      method: "host.v1.hello",
      params: { token: this.token, protocolVersion: 1, extensionId: ID, ...params },
    };
  }

  /** A connection by hand whose hello was accepted. */
  async greeted(): Promise<RawEnd> {
    const end = await this.connect();
    end.send(this.hello());
    const answer = await end.json();
    if (answer.result === undefined) throw new Error(`refused: ${JSON.stringify(answer)}`);
    return end;
  }

  /** Our extension, connected to this host. */
  async client(options: Partial<MxClientOptions> = {}): Promise<MxClient> {
    return connectTo(this.address, { token: this.token, ...options });
  }

  async close(): Promise<void> {
    await this.#closeListener();
    await this.gate.close();
  }
}

/** Our extension, connected to whoever listens at `address`. */
export async function connectTo(address: string, options: Partial<MxClientOptions> = {}): Promise<MxClient> {
  const channel = pipeChannel(await dial(address), scalarCodec, "frames", options.limits);
  const given = { id: ID, token: "a token", codec: scalarCodec, handshakeTimeoutMs: PATIENCE_MS };
  return MxClient.connect(channel, { ...given, ...options });
}

/** A host that writes its bytes by hand. */
export class RawHost {
  readonly #server: Server;
  readonly connections = new Inbox<RawEnd>();

  private constructor() {
    this.#server = createServer({ noDelay: true }, (socket) => this.connections.push(new RawEnd(socket)));
  }

  static async open(): Promise<RawHost> {
    const host = new RawHost();
    await new Promise<void>((resolve) => host.#server.listen(0, "127.0.0.1", resolve));
    return host;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Our extension and the end that talks with it, past their hello. */
  async session(options: Partial<MxClientOptions> = {}): Promise<{ client: MxClient; end: RawEnd; hello: Json }> {
    const connecting = connectTo(this.address, options);
    const end = await this.connections.next();
    const hello = await end.json();
    end.send({
      jsonrpc: "2.0",
      id: hello.id,
      result: { protocolVersion: 1, hostCapabilities: ["runtime.v1"], sessionId: `${ID}-0011223344556677` },
    });
    return { client: await connecting, end, hello };
  }

  close(): void {
    this.#server.close();
    for (const end of this.connections.all) end.destroy();
  }
}
