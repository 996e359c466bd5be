/** The host's side of Dhara in its plainest form: lines in and out of a process, judged by the test alone. */
import { cutLines, type Json } from "./messages.ts";
import type { PythonProcess } from "./python.ts";

export class RawDhara {
  readonly process: PythonProcess;
  /** Every message that arrived, in order. */
  readonly received: Json[] = [];
  #waiting: (() => void)[] = [];
  #closed = false;

  constructor(process: PythonProcess) {
    this.process = process;
    // A line that is not one JSON message in UTF-8 throws: nothing else may be on stdout.
    const take = cutLines((line) => this.received.push(JSON.parse(line)));
    process.child.stdout!.on("data", (chunk: Buffer) => {
      take(chunk);
      this.#arrived();
    });
    process.child.stdout!.once("close", () => {
      this.#closed = true;
      this.#arrived();
    });
  }

  write(bytes: string | Uint8Array): void {
    this.process.child.stdin!.write(bytes);
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Waits for the first message that `wanted` picks, those that came before included. */
  async next(wanted: (message: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = this.received.find(wanted);
      if (found !== undefined) return found;
      if (this.#closed) throw new Error(`stdout ended without the message; stderr: ${this.process.stderr()}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async request(id: number | string, method: string, params?: unknown): Promise<Json> {
    this.send({ id, method, ...(params === undefined ? {} : { params }) });
    return this.next((message) => message.id === id && message.method === undefined);
  }

  async initialize(cwd: string = process.cwd()): Promise<Json> {
    return this.request("init", "initialize", { version: "0.1.0", cwd });
  }

  execute(id: number | string, toolName: string, input: unknown, toolCallId?: string): Promise<Json> {
    return this.request(id, "tools/execute", { toolName, input, ...(toolCallId === undefined ? {} : { toolCallId }) });
  }

  #arrived(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
