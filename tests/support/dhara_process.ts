/** Our Dhara host on a real process. */
import { scalarCodec } from "../../codec/scalar.ts";
import { node } from "../../src/adapters/node.ts";
import { DharaSession, type DharaSessionOptions } from "../../src/dhara/host.ts";
import type { ToolResult } from "../../src/dhara/types.ts";
import type { ExtensionProcess } from "../../src/host/platform.ts";
import type { Diagnostic } from "../../src/rpc/channel.ts";
import { pipeChannel } from "../../src/rpc/pipe_channel.ts";
import { fixture, type Program } from "./runtime.ts";

/** A line to write, with "ID" and "CALL" for those of the request; bytes; text many times over; a pause in ms; or the end. */
export type Step =
  | string
  | { readonly hex: string }
  | { readonly repeat: string; readonly times: number }
  | { readonly wait: number }
  | { readonly exit: number };

export interface Script {
  readonly start?: readonly Step[];
  /** By method, for a tool by `tools/execute NAME`; ` #2` behind it is the second one only. */
  readonly on?: Readonly<Record<string, readonly Step[]>>;
  readonly oneByteAtATime?: boolean;
  readonly ignoresEnd?: boolean;
}

const TOOLS = '[{"name":"t","description":"A tool","inputSchema":{"type":"object"}}]';
export const INITIALIZED: string = `{"jsonrpc":"2.0","id":"ID","result":{"name":"scripted","version":"9.9.9","tools":${TOOLS}}}`;

/** An answer to `tools/execute` with this text. */
export function answer(text: string): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id: "ID",
    result: { content: [{ type: "text", text }], isError: false },
  });
}

export interface Hosted {
  readonly session: DharaSession;
  readonly process: ExtensionProcess;
  readonly diagnostics: Diagnostic[];
  stderr(): string;
  /** What the extension has read, if it is a scripted one. */
  received(): { method: string; id?: number; params?: Record<string, unknown> }[];
  untilStderr(pattern: RegExp): Promise<void>;
  /** Asks it to stop and waits until it has. */
  stop(): Promise<{ code: number | null; signal: string | null }>;
}

const running = new Set<ExtensionProcess>();

/** For `after`: a test that failed may have left a process. */
export function endHosts(): void {
  for (const each of running) each.kill("SIGKILL");
}

export async function host(program: Program, options: Partial<DharaSessionOptions> = {}): Promise<Hosted> {
  const child = await node().spawn({ ...program, env: { ...(process.env as Record<string, string>) } });
  running.add(child);
  void child.exited.then(() => running.delete(child));
  let stderr = "";
  let waiting: (() => void)[] = [];
  const decoder = new TextDecoder();
  child.onStderr((chunk) => {
    stderr += decoder.decode(chunk, { stream: true });
    const all = waiting;
    waiting = [];
    for (const arrived of all) arrived();
  });
  const diagnostics: Diagnostic[] = [];
  const session = new DharaSession(pipeChannel(child.stdio, scalarCodec, "lines", options.limits), {
    id: "under-test",
    onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
    ...options,
  });
  return {
    session,
    process: child,
    diagnostics,
    stderr: () => stderr,
    received: () =>
      stderr
        .split("\n")
        .filter((line) => line.startsWith("> "))
        .map((line) => JSON.parse(line.slice(2))),
    async untilStderr(pattern) {
      while (!pattern.test(stderr)) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    async stop() {
      await session.shutdown();
      const exit = await child.exited;
      // What it has read stands on its stderr.
      await child.drained;
      await session.close();
      return exit;
    },
  };
}

/** Hosts an extension that plays `script`, past its handshake. */
export async function hostScript(script: Script, options: Partial<DharaSessionOptions> = {}): Promise<Hosted> {
  const on = { initialize: [INITIALIZED], ...script.on };
  const hosted = await host(fixture("dhara_script", JSON.stringify({ ...script, on })), options);
  await hosted.session.initialize({ cwd: process.cwd() });
  return hosted;
}

/** The result of a tool that says this text. */
export function said(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: false };
}
