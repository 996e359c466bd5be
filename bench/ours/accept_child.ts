/** The calling side over TCP: a port of the platform, the other side started with its address, and the pipe that comes in. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Platform } from "../../src/host/platform.ts";
import { deferred } from "../../src/rpc/deferred.ts";
import type { Pipe } from "../../src/rpc/pipe.ts";
import type { ChildCommand } from "../harness/calls.ts";
import { setup } from "../harness/program.ts";

export async function acceptChild(platform: Platform): Promise<{ pipe: Pipe; child: ChildProcess }> {
  const { command, args } = setup<ChildCommand>();
  const accepted = deferred<Pipe>();
  const { address } = await platform.listen(accepted.resolve);
  const child = spawn(command, [...args, address], { stdio: ["ignore", "inherit", "inherit"] });
  return { pipe: await accepted.promise, child };
}
