/** Stdin and stdout through Deno's own calls: its node:process writes block the event loop while nobody reads. */
import type { Pipe, PipeReceiver } from "../rpc/pipe.ts";
import { asError } from "../rpc/thrown.ts";

/** What is used here of Deno. */
interface Deno {
  readonly stdin: { read(buffer: Uint8Array): Promise<number | null> };
  readonly stdout: DenoOutput;
  readonly stderr: DenoOutput;
}

interface DenoOutput {
  write(bytes: Uint8Array): Promise<number>;
  writeSync(bytes: Uint8Array): number;
}

const { Deno: deno } = globalThis as { readonly Deno?: Deno };

/** Undefined on another runtime. */
export function denoStdio(): Pipe | undefined {
  return deno && new DenoStdioPipe(deno);
}

/** Sends what a program writes with Deno.stdout to stderr. */
export function divertDenoStdout(): void {
  if (deno === undefined) return;
  const { stdout, stderr } = deno;
  stdout.write = (bytes) => stderr.write(bytes);
  stdout.writeSync = (bytes) => stderr.writeSync(bytes);
}

class DenoStdioPipe implements Pipe {
  readonly #read: (buffer: Uint8Array) => Promise<number | null>;
  readonly #write: (bytes: Uint8Array) => Promise<number>;
  #receiver: PipeReceiver | undefined;
  #writing: Promise<void> = Promise.resolve();
  #ended = false;
  #failure: Error | undefined;

  constructor(deno: Deno) {
    this.#read = deno.stdin.read.bind(deno.stdin);
    this.#write = deno.stdout.write.bind(deno.stdout);
  }

  open(receiver: PipeReceiver): void {
    this.#receiver = receiver;
    void this.#readAll();
  }

  write(chunks: readonly Uint8Array[]): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#writing = this.#writeAll(this.#writing, chunks);
    // Whoever waits sees the failure; the chain itself is nobody's.
    this.#writing.catch(() => {});
    return this.#writing;
  }

  async end(): Promise<void> {
    await this.#writing.catch(() => {});
  }

  destroy(): void {
    this.#ended = true;
    this.#failure ??= new Error("stdout is closed for the protocol");
  }

  async #writeAll(before: Promise<void>, chunks: readonly Uint8Array[]): Promise<void> {
    await before;
    try {
      for (const chunk of chunks) {
        for (let at = 0; at < chunk.length; ) at += await this.#write(chunk.subarray(at));
      }
    } catch (error) {
      this.#failure ??= asError(error);
      this.#end(this.#failure);
      throw error;
    }
  }

  async #readAll(): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    try {
      for (;;) {
        const size = await this.#read(buffer);
        if (size === null || this.#ended) break;
        this.#receiver?.data(buffer.subarray(0, size));
      }
    } catch (error) {
      return this.#end(asError(error));
    }
    this.#end();
  }

  #end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#receiver?.end(error);
  }
}
