/** The stdin and stdout of this process as a pipe that nobody else can write to. */
import type { Socket } from "node:net";
import { type Deferred, deferred } from "../rpc/deferred.ts";
import type { Pipe, PipeReceiver } from "../rpc/pipe.ts";
import { denoStdio, divertDenoStdout } from "./deno_stdio.ts";
import { IS_BUN, nextTick } from "./node_runtime.ts";

let isTaken = false;

/** Takes stdout for the protocol: what else is written to it goes to stderr from here on. */
export function takeStdio(): Pipe {
  if (isTaken) throw new Error("a process serves one extension: give it all the tools");
  isTaken = true;
  const pipe = denoStdio() ?? new StdioPipe();
  divertConsole();
  return pipe;
}

/** Some runtimes' console writes to the file descriptor itself, so its methods are replaced and not only what is below them. */
function divertConsole(): void {
  const { stdout, stderr } = process;
  const write = (...args: Parameters<typeof stderr.write>) => stderr.write(...args);
  stdout.write = write as typeof stdout.write;
  divertDenoStdout();
  const { Console } = process.getBuiltinModule("node:console");
  const diverted = new Console({ stdout: stderr, stderr }) as unknown as Record<string, unknown>;
  const target = console as unknown as Record<string, unknown>;
  for (const name of Object.keys(target)) {
    const method = diverted[name];
    if (typeof method === "function" && typeof target[name] === "function") target[name] = method.bind(diverted);
  }
}

class StdioPipe implements Pipe {
  readonly #output = process.stdout;
  /** The stream's own: its `write` property is not ours for long. */
  readonly #write: (chunk: string | Uint8Array, written: (error?: Error | null) => void) => boolean =
    this.#output.write;
  #receiver: PipeReceiver | undefined;
  #input: { destroy(): unknown } | undefined;
  #failure: Error | undefined;
  /** Until all that was written has left. */
  #waiting: Deferred<void> | undefined;
  #unwritten = 0;
  #ended = false;

  constructor() {
    this.#output.on("error", (error) => this.#fail(error));
  }

  open(receiver: PipeReceiver): void {
    this.#receiver = receiver;
    const input = this.#readSocket() ?? this.#readStream();
    input.on("end", () => this.#end());
    input.on("close", () => this.#end());
    input.on("error", (error) => this.#end(error));
    this.#input = input;
  }

  write(chunks: readonly (string | Uint8Array)[]): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure);
    for (const chunk of chunks) {
      this.#unwritten++;
      this.#write.call(this.#output, chunk, this.#written);
    }
    return this.#output.writableLength === 0 ? undefined : this.#drained();
  }

  soon(callback: () => void): void {
    nextTick(callback);
  }

  writeText(text: string): Promise<void> | undefined {
    return this.write([text]);
  }

  /** Stdout stays open until the process ends; what was written has left when this settles. */
  async end(): Promise<void> {
    if (this.#unwritten > 0) await this.#drained().catch(() => {});
  }

  destroy(): void {
    this.#ended = true;
    this.#input?.destroy();
    this.#fail(new Error("stdout is closed for the protocol"));
  }

  /**
   * One buffer for all reads: half the time of a stream that makes a new one for each.
   * Undefined where stdin is a file or a terminal, which no socket takes; in Bun such a socket stays silent.
   */
  #readSocket(): Socket | undefined {
    if (IS_BUN) return undefined;
    const onread = {
      buffer: new Uint8Array(64 * 1024),
      callback: (size: number, buffer: Uint8Array): boolean => {
        if (!this.#ended) this.#receiver?.data(buffer.subarray(0, size));
        return true;
      },
    };
    const net = process.getBuiltinModule("node:net");
    const options = { fd: 0, readable: true, writable: false, onread };
    try {
      // To ask beforehand what stdin is takes node:fs, and that takes 4 ms to load.
      return new net.Socket(options).resume();
    } catch {
      return undefined;
    }
  }

  #readStream(): NodeJS.ReadStream {
    return process.stdin.on("data", (chunk: Uint8Array) => {
      if (!this.#ended) this.#receiver?.data(chunk);
    });
  }

  #end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#receiver?.end(error);
  }

  #drained(): Promise<void> {
    this.#waiting ??= deferred();
    return this.#waiting.promise;
  }

  readonly #written = (error?: Error | null): void => {
    this.#unwritten--;
    if (error) return this.#fail(error);
    if (this.#unwritten > 0) return;
    this.#waiting?.resolve();
    this.#waiting = undefined;
  };

  /** Who closes our stdout has no use for us, even if stdin stays open. */
  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
    this.#end(error);
  }
}
