/** How this very program is started again: from source, as one file, by Deno from a URL, or as a compiled executable. */
import { fileURLToPath } from "node:url";

export interface SelfCommand {
  readonly command: string;
  readonly args: readonly string[];
}

interface BunGlobal {
  readonly main: string;
  readonly isStandaloneExecutable?: boolean;
}

interface DenoGlobal {
  readonly build: { readonly standalone?: boolean };
  readonly permissions: { querySync(descriptor: { name: "run"; command: string }): { readonly state: string } };
}

/** Options of Node that belong to this one run and not to a child's: a debugger's port is taken, a test is no program. */
const OWN_OPTIONS = /^--(?:inspect|watch|test|eval|print|check|cpu-prof|heap-prof)/;

/**
 * The command that runs `extwire` as this process runs it. `entry` is `import.meta.url` of the entry file:
 * argv[1] may be a link, or missing, or relative to a folder that has changed.
 */
export function selfCommand(entry: string): SelfCommand {
  const runtime = globalThis as { readonly Bun?: BunGlobal; readonly Deno?: DenoGlobal };
  if (runtime.Deno !== undefined) return denoCommand(runtime.Deno, entry);
  if (runtime.Bun !== undefined) {
    const alone = runtime.Bun.isStandaloneExecutable ?? /\$bunfs|~BUN/.test(runtime.Bun.main);
    return { command: process.execPath, args: alone ? [] : [fileURLToPath(entry)] };
  }
  if (isNodeExecutable()) return { command: process.execPath, args: [] };
  const options = process.execArgv.filter((option) => !OWN_OPTIONS.test(option));
  return { command: process.execPath, args: [...options, fileURLToPath(entry)] };
}

/** A child gets what the examples use and no more; Deno doesn't tell a program the options it was started with. */
function denoCommand(deno: DenoGlobal, entry: string): SelfCommand {
  if (deno.build.standalone === true) return { command: process.execPath, args: [] };
  const file = entry.startsWith("file:") ? fileURLToPath(entry) : entry;
  const permissions = ["--allow-env", "--allow-net", "--allow-read", "--allow-write"];
  return { command: denoProgram(deno), args: ["run", "--quiet", "--no-prompt", ...permissions, file] };
}

/** `--allow-run=deno` permits the one in PATH by that name: where that is a link, as package managers make, not the file behind it. */
function denoProgram({ permissions }: DenoGlobal): string {
  const mayRun = (command: string) => permissions.querySync({ name: "run", command }).state === "granted";
  return !mayRun(process.execPath) && mayRun("deno") ? "deno" : process.execPath;
}

function isNodeExecutable(): boolean {
  const sea = process.getBuiltinModule?.("node:sea") as { isSea(): boolean } | undefined;
  return sea?.isSea() ?? false;
}
