/** Why a command could not be started, in words that help. */
import type { Stats } from "node:fs";
import { delimiter, resolve } from "node:path";
import { shownCommand } from "../host/command_line.ts";
import type { SpawnOptions } from "../host/platform.ts";
import { ExtensionError } from "../rpc/errors.ts";
import { notPermitted } from "./deno_permission.ts";
import { openReason } from "./node_open_failure.ts";

const WINDOWS_SCRIPTS = "on Windows run .cmd and .bat files with the command cmd.exe and the args /d /c";

const WORDS = "command must be the program alone: put its arguments in args, or after it as separate words";

export function startFailure(options: SpawnOptions, cause: NodeJS.ErrnoException): ExtensionError {
  const ran = shownCommand(options.command, options.args);
  return new ExtensionError("start-failed", `${ran} could not be started: ${reason(options, cause)}`, { cause });
}

function reason({ command, cwd, env }: SpawnOptions, cause: NodeJS.ErrnoException): string {
  const refusal = notPermitted(cause);
  if (refusal !== undefined) return refusal;
  const folder = resolve(cwd ?? ".");
  const missing = folderFault(folder);
  if (missing !== undefined) return `its working folder ${folder} ${missing}; correct cwd`;
  const hasPath = command.includes("/") || command.includes("\\");
  const file = resolve(folder, command);
  switch (String(cause.code)) {
    case "ENOENT": {
      const apart = /\S\s+\S/.test(command) ? `; ${WORDS}` : "";
      if (!hasPath) {
        const scripts = env["PATHEXT"] ? `; ${WINDOWS_SCRIPTS}` : "";
        const near = isExecutable(file) && !found(file)?.isDirectory() ? `; the one in ${folder} is ./${command}` : "";
        return `there is no command ${command} in ${searched(env)}; install it or give its full path${apart}${near}${scripts}`;
      }
      const interpreter = firstLine(file);
      if (interpreter?.startsWith("#!") && interpreter.endsWith("\r"))
        return `the first line of ${file} ends with CR LF, so the system looks for an interpreter whose name ends in CR; save it with LF line ends`;
      if (interpreter?.startsWith("#!"))
        return `the interpreter that its first line names, ${interpreter.slice(2).trim()}, does not exist`;
      if (!found(file)?.isFile()) return `the file ${file} does not exist; correct command${apart}`;
      if (env["PATHEXT"]) return notStarted(file);
      return `${file} exists, but the loader that it names does not: it was built for another system or C library; get the one for this system`;
    }
    case "EACCES":
    case "EPERM":
      if (hasPath && found(file)?.isDirectory()) return `${file} is a folder; name the program in it`;
      if (hasPath && !isExecutable(file))
        return `${file} is not executable; run chmod +x on it, or make its interpreter the command`;
      return `not permitted (${cause.message})`;
    case "ENOEXEC":
      return `${file} is not an executable program; make its interpreter the command, or give it a first line like #!/usr/bin/env python3`;
    case "EFTYPE":
    case "EINVAL":
    case "UNKNOWN":
      return notStarted(cause.message);
    default:
      return openReason(cause);
  }
}

/** Windows starts programs only, and has several codes for it. */
function notStarted(what: string): string {
  return `the system does not start this kind of file (${what}); make its interpreter the command; ${WINDOWS_SCRIPTS}`;
}

/** Not the folders themselves: of a long PATH nobody reads the rest of the message. */
function searched(env: SpawnOptions["env"]): string {
  const folders = new Set((env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(Boolean));
  if (folders.size === 0) return "PATH, which is empty";
  return folders.size === 1 ? `${[...folders][0]}, the only folder in PATH` : `the ${folders.size} folders of PATH`;
}

/** As a module of its own it would take every program 4 ms to load. */
function files() {
  return process.getBuiltinModule("node:fs");
}

/** Undefined for what is not there, or what nobody here may look at. */
function found(path: string): Stats | undefined {
  try {
    return files().statSync(path);
  } catch {
    return undefined;
  }
}

/** What it lacks; undefined also for a folder that nobody here may look at. */
function folderFault(folder: string): string | undefined {
  try {
    return files().statSync(folder).isDirectory() ? undefined : "is not a folder";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : undefined;
  }
}

function isExecutable(path: string): boolean {
  const { accessSync, constants } = files();
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function firstLine(path: string): string | undefined {
  const { closeSync, openSync, readSync } = files();
  try {
    const file = openSync(path, "r");
    try {
      const head = Buffer.alloc(128);
      return head.toString("utf8", 0, readSync(file, head)).split("\n", 1)[0];
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
