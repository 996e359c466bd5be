/** What a host needs from the machine it runs on. One implementation per runtime in `src/adapters/`. */
import type { Codec } from "../../codec/codec.ts";
import type { Pipe } from "../rpc/pipe.ts";

/** A process to start. */
export interface SpawnOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute, or relative to the host's working folder. Default: the host's. */
  readonly cwd?: string | undefined;
  /** The whole environment of the child: nothing is added. */
  readonly env: Readonly<Record<string, string>>;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  /** Name of the signal that ended it, or null. */
  readonly signal: string | null;
}

/** A running process, leader of a process group of its own. */
export interface ExtensionProcess {
  readonly pid: number;
  /** Writes go to its stdin, reads come from its stdout. */
  readonly stdio: Pipe;
  /** Called with each chunk of stderr; stderr is always drained, with or without a listener (D11). */
  onStderr(listener: (chunk: Uint8Array) => void): void;
  /** Settles when the leader has ended, whether or not somebody still holds its pipes. Never rejects. */
  readonly exited: Promise<Exit>;
  /**
   * Settles when it has ended and all that it wrote was read. Soon after the end, and with what came by then,
   * when somebody else still holds its pipes (D8). Never rejects.
   */
  readonly drained: Promise<void>;
  /** Sends a signal to the whole group; a group that is gone is no error. */
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

/** A port that listens. */
export interface Listener {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Stops accepting. Connections made live on. */
  close(): Promise<void>;
}

/** A machine as a `Host` sees it. */
export interface Platform {
  readonly name: string;
  /** The codec that is fastest here. `onFallback` is told why the plain one has to do, where it does. */
  codec(onFallback?: (reason: string) => void): Codec;
  /** Rejects with an ExtensionError `start-failed` when there is no such command. */
  spawn(options: SpawnOptions): Promise<ExtensionProcess>;
  /** Listens on 127.0.0.1, on a free port. */
  listen(accept: (pipe: Pipe) => void): Promise<Listener>;
  /** The host's own environment and working folder, from which the safe variables are taken. */
  environment(): Readonly<Record<string, string | undefined>>;
  cwd(): string;
}
