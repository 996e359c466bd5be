/** What became of an extension, in words that help: what was run, how it ended, its last words, what to do. */
import { ExtensionError, type ExtensionErrorCode } from "../rpc/errors.ts";
import { shortened } from "../rpc/excerpt.ts";
import { messageOf } from "../rpc/thrown.ts";
import { shownCommand } from "./command_line.ts";
import { howItEnded } from "./exits.ts";
import type { ExtensionManifest } from "./manifest.ts";
import type { Exit } from "./platform.ts";

/** Of its stderr. */
export const SHOWN_LINES = 20;
/** Of what else it wrote. */
export const SHOWN_STRAY = 5;
const SHOWN_CHARACTERS = 500;

/** What is known when something went wrong. */
export interface Circumstances {
  readonly manifest: ExtensionManifest;
  /** Undefined while the process runs, or never ran. */
  readonly exit: Exit | undefined;
  /** Its last lines on stderr, `SHOWN_LINES` at most. */
  readonly stderr: readonly string[];
  /** Its last lines on stdout where that is not the protocol's, `SHOWN_STRAY` at most. */
  readonly stdout: readonly string[];
  /** All that is kept of what came from it and was no message, or answered nothing. */
  readonly useless: readonly string[];
  /** That the last connection to its port was refused, and why, where none has been accepted since. */
  readonly refusal: string | undefined;
}

/** The process or its connection ended by itself: before it was ready, or with a chance of calls in flight (X-19). */
export function endedError(wasReady: boolean, cause: Error | undefined, known: Circumstances): ExtensionError {
  const { manifest, exit } = known;
  const name = subject(manifest);
  const fault = cause instanceof ExtensionError && cause.code !== "disconnected" && cause.code !== "closed";
  if (fault) return explained(cause.code, `${name} broke the protocol: ${cause.message}`, known, cause);
  if (exit === undefined) {
    const what = manifest.protocol === "dhara" && cause === undefined ? "stdout" : "connection";
    const how = cause ? `: ${cause.message}` : "";
    return explained("disconnected", `${name} closed its ${what} but did not exit${how}`, known, cause);
  }
  if (wasReady) {
    const hint = exit.code === 0 ? `An extension ${waits(manifest)}.` : "";
    return explained("exited", `${name} ${howItEnded(exit)}`, known, cause, hint);
  }
  const what = `${name} ${howItEnded(exit)} before it was ready`;
  if (known.refusal) return explained("start-failed", `${what}; ${known.refusal}`, known, cause);
  return explained("start-failed", what, known, cause, advice(manifest, exit));
}

/** The process could not be started, or the handshake came to nothing while it still ran. */
export function startError(cause: unknown, known: Circumstances): ExtensionError {
  if (cause instanceof ExtensionError && cause.stderr !== undefined) return cause;
  if (cause instanceof ExtensionError && cause.code === "start-failed") {
    const { id } = known.manifest;
    return new ExtensionError(cause.code, `extension '${id}': ${cause.message}`, {
      cause: cause.cause,
      extension: id,
      stderr: "",
    });
  }
  const what = `${subject(known.manifest)} did not complete its handshake: ${messageOf(cause)}`;
  return explained("handshake-failed", what, known, cause);
}

/** This side ended it. */
export function stoppedError(why: string, known: Circumstances): ExtensionError {
  const how = known.exit ? ` and ${howItEnded(known.exit)}` : "";
  return explained("closed", `${subject(known.manifest)} was stopped ${why}${how}`, known, undefined);
}

/** `extension 'web-tools' (python3 main.py)`. */
function subject(manifest: ExtensionManifest): string {
  return `extension '${manifest.id}' (${shownCommand(manifest.command, manifest.args)})`;
}

function explained(
  code: ExtensionErrorCode,
  what: string,
  { manifest, exit, stderr, stdout, useless }: Circumstances,
  cause: unknown,
  hint = "",
): ExtensionError {
  const how = manifest.protocol === "dhara" ? "wrote invalid output to stdout" : "sent invalid messages";
  const earlier = useless.length > SHOWN_STRAY ? `, the last ${SHOWN_STRAY} of ${useless.length}` : "";
  const words = [
    ...quoted("Its last lines on stderr", stderr),
    ...quoted("Its last lines on stdout", stdout),
    ...quoted(`It also ${how}${earlier}`, useless.slice(-SHOWN_STRAY)),
  ];
  // On lines of their own: the first one is the whole of what happened.
  const said = words.length > 0 ? `\n${words.join("\n")}` : " It wrote nothing to stderr.";
  return new ExtensionError(code, `${what.replace(/(?<![.\s])[.\s]+$/, "")}.${hint && ` ${hint}`}${said}`, {
    cause,
    extension: manifest.id,
    stderr: stderr.join("\n"),
    ...(exit && { exitCode: exit.code, signal: exit.signal }),
  });
}

function waits({ protocol }: ExtensionManifest): string {
  return protocol === "dhara" ? "reads stdin until it is told to shut down" : "connects to MX_EXTENSION_HOST and stays";
}

function advice(manifest: ExtensionManifest, exit: Exit): string {
  const where = manifest.cwd === undefined ? "" : ` in ${manifest.cwd}`;
  if (exit.code === 0)
    return `An extension ${waits(manifest)}; this command ended at once. Run it by hand${where} to see what it does.`;
  return `Run the command by hand${where} to see more, or correct command, args, cwd or env in its manifest.`;
}

function quoted(what: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`${what}:${lines.map((line) => `\n    ${shortened(line, SHOWN_CHARACTERS)}`).join("")}`];
}
