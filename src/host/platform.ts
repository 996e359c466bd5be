/** What a host needs from the machine it runs on. One implementation per runtime in `src/adapters/`. */
import type { Codec } from "../../codec/codec.ts";
import type { Pipe } from "../rpc/pipe.ts";

/** A process to start. */
export interface SpawnOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute, or relative to the host's working folder. Default: the host's. */
  readonly cwd?: string | undefined;
  /** The complete environment of the child: nothing is added. */
  readonly env: Readonly<Record<string, string>>;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  /** Name of the signal that ended it, or null. */
  readonly signal: string | null;
}

/** A running process, the leader of its own process group. */
export interface ExtensionProcess {
  readonly pid: number;
  /** Writes go to its stdin, reads come from its stdout. */
  readonly stdio: Pipe;
  /** Called with each chunk of stderr; stderr is always drained, with or without a listener (D11). */
  onStderr(listener: (chunk: Uint8Array) => void): void;
  /** Resolves when the process itself has ended, even if a descendant still holds its pipes. Never rejects. */
  readonly exited: Promise<Exit>;
  /**
   * Resolves when the process has ended and all its output was read. If a descendant still holds its pipes, resolves soon after
   * the end, with what had arrived by then (D8). Never rejects.
   */
  readonly drained: Promise<void>;
  /** Sends a signal to the whole group. It is not an error if the group is gone. */
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

/** A listening port. */
export interface Listener {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Stops accepting connections. Existing ones stay open. */
  close(): Promise<void>;
}

/** A machine as a `Host` sees it. */
export interface Platform {
  /** Returns the fastest codec here. If that is the plain one, `onFallback` is called with the reason. */
  codec(onFallback?: (reason: string) => void): Codec;
  /** Starts a process. Rejects with an ExtensionError `start-failed` if there is no such command. */
  spawn(options: SpawnOptions): Promise<ExtensionProcess>;
  /** Listens on 127.0.0.1, on a free port. */
  listen(accept: (pipe: Pipe) => void): Promise<Listener>;
  /** The host's own environment, from which the safe variables are taken. */
  environment(): Readonly<Record<string, string | undefined>>;
  cwd(): string;
}
