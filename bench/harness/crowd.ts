/**
 * Many connections to the program under measurement, written by hand and the same for all: they say hello, answer
 * what they are asked, then lie idle or call. A program of its own, so that its cost is nobody's.
 */
import { connect, type Socket } from "node:net";
import { serveHarness } from "./program.ts";

/** Where one member of the crowd connects, and what it says there. */
export interface Member {
  readonly port: number;
  /** `params` of its hello. */
  readonly hello: unknown;
}

/** How the program under measurement frames its messages. */
export type CrowdFraming = "frames" | "headers";

interface Message {
  id?: number;
  method?: string;
}

const statusResult = {
  state: "ready",
  message: "watching",
  version: "0.1.0",
  protocolVersion: 1,
  capabilities: ["runtime.v1"],
};

const framings: Record<
  CrowdFraming,
  { frame(text: string): Buffer; next(bytes: Buffer): [text: string, end: number] | undefined }
> = {
  frames: {
    frame(text) {
      const bytes = Buffer.alloc(5 + Buffer.byteLength(text));
      bytes.writeUInt32BE(bytes.length - 4);
      bytes.write(text, 5);
      return bytes;
    },
    next(bytes) {
      if (bytes.length < 5) return undefined;
      const end = 4 + bytes.readUInt32BE(0);
      return bytes.length < end ? undefined : [bytes.toString("utf8", 5, end), end];
    },
  },
  headers: {
    frame: (text) => Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
    next(bytes) {
      const at = bytes.indexOf("\r\n\r\n");
      if (at < 0) return undefined;
      const end = at + 4 + Number(/Content-Length: (\d+)/i.exec(bytes.toString("latin1", 0, at))?.[1]);
      return bytes.length < end ? undefined : [bytes.toString("utf8", at + 4, end), end];
    },
  },
};

class Visitor {
  readonly #framing: (typeof framings)[CrowdFraming];
  readonly #socket: Socket;
  readonly #pending = new Map<number, () => void>();
  #rest: Buffer = Buffer.alloc(0);
  #id = 0;

  constructor(port: number, framing: CrowdFraming) {
    this.#framing = framings[framing];
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk: Buffer) => this.#take(chunk));
  }

  request(method: string, params: unknown): Promise<void> {
    const id = ++this.#id;
    this.#send({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve) => this.#pending.set(id, resolve));
  }

  leave(): void {
    this.#socket.destroy();
  }

  #send(message: unknown): void {
    this.#socket.write(this.#framing.frame(JSON.stringify(message)));
  }

  #take(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const next = this.#framing.next(bytes);
      if (next === undefined) break;
      bytes = bytes.subarray(next[1]);
      this.#message(JSON.parse(next[0]) as Message);
    }
    this.#rest = Buffer.from(bytes);
  }

  #message({ id, method }: Message): void {
    if (id === undefined) return;
    if (method !== undefined) return this.#send({ jsonrpc: "2.0", id, result: statusResult });
    this.#pending.get(id)?.();
    this.#pending.delete(id);
  }
}

const visitors: Visitor[] = [];

serveHarness(
  {
    /** Gives milliseconds from the first connection to the last answer, so many at a time. */
    async arrive({ members, framing, atOnce }: { members: Member[]; framing: CrowdFraming; atOnce: number }) {
      const begin = performance.now();
      let next = 0;
      const arriveInTurn = async (): Promise<void> => {
        for (let member = members[next++]; member !== undefined; member = members[next++]) {
          const visitor = new Visitor(member.port, framing);
          visitors.push(visitor);
          await visitor.request("host.v1.hello", member.hello);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, arriveInTurn));
      return performance.now() - begin;
    },
    /** Calls from the first visitor, so many in flight. */
    async call({ count, inFlight }: { count: number; inFlight: number }) {
      let begun = 0;
      const callInTurn = async (): Promise<void> => {
        while (begun++ < count) await visitors[0]?.request("host.v1.listVms", null);
      };
      await Promise.all(Array.from({ length: inFlight }, callInTurn));
    },
    /** One call from each visitor, `times` times, so many visitors at a time. */
    async callAll({ times, atOnce }: { times: number; atOnce: number }) {
      let next = 0;
      const total = visitors.length * times;
      const callInTurn = async (): Promise<void> => {
        for (let i = next++; i < total; i = next++)
          await visitors[i % visitors.length]?.request("host.v1.listVms", null);
      };
      await Promise.all(Array.from({ length: atOnce }, callInTurn));
    },
  },
  () => {
    for (const visitor of visitors) visitor.leave();
  },
);
