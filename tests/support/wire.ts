/** The far end of a connection in its plainest form: texts in and out, judged by the test alone. */
import { type ChildProcess, spawn } from "node:child_process";
import { connect, createServer, type Server, type Socket } from "node:net";
import { scalarCodec } from "../../codec/scalar.ts";
import { NodePipe } from "../../src/adapters/node_pipe.ts";
import type { Exit } from "../../src/host/platform.ts";
import type { Channel } from "../../src/rpc/channel.ts";
import type { GivenLimits } from "../../src/rpc/limits.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { type Framing, pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { Inbox } from "./inbox.ts";
import { cutFrames, cutLines, frame, type Json, textOf } from "./messages.ts";
import type { Program } from "./runtime.ts";

const open = new Set<Wire>();

/** For `after`: a test that failed may have left a connection or a process, and the runner would wait for it. */
export function endWires(): void {
  for (const wire of open) wire.drop();
  open.clear();
}

export abstract class Wire {
  protected readonly inbox = new Inbox<string>();

  constructor() {
    open.add(this);
  }

  /** Sends texts as they are, each as one message. */
  abstract send(...texts: string[]): void;
  abstract end(): void;

  /** Ends it whatever the other side does. */
  drop(): void {
    this.end();
  }

  /** The next message that arrives, as text; undefined when the other side has ended. */
  nextText(): Promise<string | undefined> {
    return this.inbox.next().catch(() => undefined);
  }

  async next(): Promise<Json> {
    return JSON.parse(await this.inbox.next());
  }

  /** The first message that `wanted` picks; others keep their place. */
  async pick(wanted: (message: Json) => boolean): Promise<Json> {
    return JSON.parse(await this.inbox.next((text) => wanted(JSON.parse(text))));
  }

  protected ended(): void {
    this.inbox.end(new Error("the other side ended without another message"));
  }

  /** Waits for the end, past whatever still comes; returns what came. */
  async rest(): Promise<string[]> {
    const texts: string[] = [];
    for (;;) {
      const text = await this.nextText();
      if (text === undefined) return texts;
      texts.push(text);
    }
  }

  request(id: unknown, method: string, params?: unknown): void {
    this.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  }

  notify(method: string, params?: unknown): void {
    this.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** Asks and takes the next message as the answer. */
  async ask(id: unknown, method: string, params?: unknown): Promise<Json> {
    this.request(id, method, params);
    return this.next();
  }
}

class MemoryWire extends Wire {
  readonly #channel: Channel;

  constructor(channel: Channel) {
    super();
    this.#channel = channel;
    channel.open({
      text: this.inbox.push,
      binary: () => {},
      diagnostic: () => {},
      closed: () => this.ended(),
    });
  }

  send(...texts: string[]): void {
    for (const text of texts) this.#channel.send(text);
  }

  end(): void {
    void this.#channel.close();
  }
}

/** Bytes as chunks arrive, cut at LF or by the length in front, by nothing of ours. */
abstract class ByteWire extends Wire {
  readonly framing: Framing;
  protected readonly take: (chunk: Uint8Array) => void;

  constructor(framing: Framing) {
    super();
    this.framing = framing;
    const { push } = this.inbox;
    this.take = framing === "lines" ? cutLines(push) : cutFrames(({ body }) => push(textOf(body)));
  }

  abstract write(bytes: Uint8Array): void;

  send(...texts: string[]): void {
    this.write(
      Buffer.concat(texts.map((text) => (this.framing === "lines" ? Buffer.from(`${text}\n`) : frame(0, text)))),
    );
  }
}

export class SocketWire extends ByteWire {
  readonly socket: Socket;

  constructor(socket: Socket, framing: Framing) {
    super(framing);
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("data", this.take);
    socket.on("close", () => this.ended());
    socket.on("end", () => this.ended());
  }

  write(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  end(): void {
    this.socket.end();
  }

  override drop(): void {
    this.socket.destroy();
  }
}

/** A child process, lines on its stdin and stdout. */
export class ProcessWire extends ByteWire {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  #stderr = "";
  #stderrWaiting: (() => void) | undefined;

  constructor({ command, args }: Program, env: NodeJS.ProcessEnv = process.env) {
    super("lines");
    const child = spawn(command, args, { stdio: "pipe", env });
    this.child = child;
    child.stdin.on("error", () => {});
    child.stdout.on("data", this.take);
    child.stdout.on("close", () => this.ended());
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
      this.#stderr += text;
      this.#stderrWaiting?.();
    });
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
  }

  write(bytes: Uint8Array): void {
    this.child.stdin!.write(bytes);
  }

  end(): void {
    this.child.stdin!.end();
  }

  override drop(): void {
    this.child.kill("SIGKILL");
  }

  stderr(): string {
    return this.#stderr;
  }

  async untilStderr(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.#stderr)) {
      await new Promise<void>((resolve) => {
        this.#stderrWaiting = resolve;
      });
    }
    return this.#stderr;
  }
}

export interface Transport {
  readonly name: string;
  /** Starts what a channel needs on one end and returns the other end. */
  connect(start: (channel: Channel) => void, limits?: GivenLimits): Promise<Wire>;
}

/** Two ends of one TCP connection on loopback. */
export async function socketPair(): Promise<[Socket, Socket]> {
  const server: Server = createServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const far = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const near = await accepted;
  server.close();
  return [near, far];
}

export const MEMORY: Transport = {
  name: "memory",
  connect(start, limits) {
    const [near, far] = memoryPair(limits);
    start(near);
    return Promise.resolve(new MemoryWire(far));
  },
};

export const LINES: Transport = overSocket("lines");
export const FRAMES: Transport = overSocket("frames");

function overSocket(framing: Framing): Transport {
  return {
    name: `a socket with ${framing}`,
    async connect(start, limits) {
      const [near, far] = await socketPair();
      start(pipeChannel(new NodePipe(near, near), scalarCodec, framing, limits));
      return new SocketWire(far, framing);
    },
  };
}
