/** Where measured programs run, and in what surroundings. */
import { existsSync } from "node:fs";
import { cpus } from "node:os";

const hasTaskset = ["/usr/bin/taskset", "/bin/taskset"].some((path) => existsSync(path));

/** On the last processor, with all its children, where taskset exists: then work and time are the same thing. */
export function pinned(command: readonly string[]): readonly string[] {
  return hasTaskset ? ["taskset", "-c", String(cpus().length - 1), ...command] : command;
}

/** A certificate file costs a Node child tens of milliseconds at its start, and warnings of peers would bury the results. */
export function quietEnvironment(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  return { ...rest, NODE_NO_WARNINGS: "1" };
}
