/** From the start of a program to its first answer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { pinned, quietEnvironment } from "./pinning.ts";
import { cpuUs } from "./process_cost.ts";

export interface FirstAnswer {
  /** From just before the spawn, in ms. */
  readonly wall: number;
  /** Of the program so far, in ms. */
  readonly cpu: number;
}

/** Starts a program, writes `question` to its stdin, and stops it at the first bytes of its answer. */
export async function firstAnswer(command: string, args: readonly string[], question: string): Promise<FirstAnswer> {
  const [file, ...rest] = pinned([command, ...args]);
  const begin = performance.now();
  const child = spawn(file as string, rest, { stdio: ["pipe", "pipe", "ignore"], env: quietEnvironment() });
  const exited = once(child, "exit");
  child.stdin.on("error", () => {});
  child.stdin.write(question);
  const answered = await Promise.race([once(child.stdout, "data"), exited.then(() => undefined)]);
  const wall = performance.now() - begin;
  if (answered === undefined) throw new Error(`${command} ${args.join(" ")} ended without an answer`);
  const cpu = cpuUs(child.pid as number) / 1000;
  child.kill("SIGKILL");
  await exited;
  return { wall, cpu };
}
