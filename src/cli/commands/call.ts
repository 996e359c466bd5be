/** `extwire call`: one tool, once. */
import { quoteCommand } from "../../host/command_line.ts";
import { waitFor } from "../../rpc/wait.ts";
import { checkInput } from "../check_input.ts";
import type { Cli } from "../context.ts";
import { ReportedError, UsageError } from "../errors.ts";
import { printResult } from "../result.ts";
import { saveFolder } from "../saver.ts";
import { resolveTarget } from "../target.ts";
import { readInput } from "../tool_input.ts";
import { applyArguments } from "../typed_argument.ts";
import { type WatchFlags, withWatchedHost } from "../watched_host.ts";

export interface CallFlags extends WatchFlags {
  readonly input?: string;
  readonly arg?: readonly string[];
  readonly timeout?: number;
  readonly save?: string;
  readonly json?: boolean;
  readonly protocol?: "dhara" | "mx";
}

export async function call(this: Cli, flags: CallFlags, first?: string, second?: string): Promise<void> {
  const { output, interruption } = this;
  output.json = flags.json === true;
  const { target, tool } = names(first, second, this.rest !== undefined);
  const manifest = await resolveTarget(target, { rest: this.rest, protocol: flags.protocol, self: this.self });
  if (manifest.protocol === "mx") {
    throw new UsageError(`${manifest.id} speaks MX, which has no tools to call; extwire run hosts it`);
  }
  // What a tool did may not be had twice: that there is a place for it is seen before it runs.
  const saveTo = flags.save === undefined ? undefined : await saveFolder(flags.save);
  if (flags.input === "-" && process.stdin.isTTY) output.note("type the input as JSON; Ctrl-D ends it");
  const given = await waitFor(readInput(flags.input), { signal: interruption.signal });
  await withWatchedHost(this, manifest.id, flags, async (host) => {
    output.activity(`starting ${manifest.id}`);
    await host.start(manifest);
    const info = host.tools().find(({ name }) => name === tool);
    const input = info ? applyArguments(given, flags.arg ?? [], info.inputSchema) : given;
    if (info) await checkInput(info, input);
    output.activity(tool);
    const result = await host.execute(tool, input, {
      signal: interruption.signal,
      onProgress: (message: string) => output.progress(`${tool}: ${message}`),
      ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
    });
    // Before the extension is stopped: it may clean up the files that it named.
    await printResult(output, result, { tool, folder: manifest.cwd ?? process.cwd(), saveTo });
    output.activity(`stopping ${manifest.id}`);
    if (result.isError) throw new ReportedError(`${tool} failed`);
  });
}

function names(
  first: string | undefined,
  second: string | undefined,
  hasCommand: boolean,
): { target: string | undefined; tool: string } {
  if (first === undefined) {
    throw new UsageError(
      "which tool of which extension? Write extwire call TARGET TOOL, or extwire call TOOL -- COMMAND; " +
        "extwire tools TARGET lists the tools",
    );
  }
  if (hasCommand) {
    if (second === undefined) return { target: undefined, tool: first };
    throw new UsageError(
      `where a command follows --, only the TOOL stands before it, not "${first}" and "${second}"; ` +
        "an input is --arg NAME=VALUE",
    );
  }
  if (second !== undefined) return { target: first, tool: second };
  const word = quoteCommand(first);
  throw new UsageError(
    `which tool? Write extwire call ${word} TOOL, and extwire tools ${word} lists them; ` +
      `if ${word} is the tool, write extwire call TARGET ${word}, or extwire call ${word} -- COMMAND`,
  );
}
