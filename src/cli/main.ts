/** One run of the command line: arguments to a command to an exit code. */
import { run } from "@stricli/core";
import { messageOf } from "../rpc/thrown.ts";
import { application } from "./app.ts";
import { asksForJson, splitAtEscape } from "./arguments.ts";
import type { Cli } from "./context.ts";
import { describeError, errorValue } from "./describe_error.ts";
import { asUsageError, ReportedError, UsageError } from "./errors.ts";
import { ExitCode, exitCodeOf } from "./exit_codes.ts";
import { Interruption } from "./interruption.ts";
import { Output } from "./output.ts";
import { selfCommand } from "./self.ts";
import type { ColorDepth } from "./style.ts";

/** Bits a colour, as stricli asks for them. */
const BITS: Readonly<Record<ColorDepth, number>> = { none: 1, "16": 4, "256": 8, truecolor: 24 };

/** Runs the command that `argv` names. `entry` is `import.meta.url` of the program's own file. */
export async function main(argv: readonly string[], entry: string): Promise<number> {
  const output = new Output(process.stdout, process.stderr, process.env);
  const interruption = new Interruption(output);
  interruption.listen();
  const isCompletion = argv[0] === "__complete";
  const { inputs, rest } = isCompletion ? { inputs: argv.slice(1), rest: undefined } : splitAtEscape(argv);
  const words = inputs[0] === "help" ? [...inputs.slice(1), "--help"] : inputs;
  // Until the parser has told, which it can't where it finds a mistake.
  output.json = !isCompletion && asksForJson(words);
  const failures: unknown[] = [];
  const stricliProcess = {
    stdout: { write: (text: string) => output.write(text), getColorDepth: () => BITS[output.outDepth] },
    // Without a colour depth of its own: stricli would paint a whole message red.
    stderr: { write: (text: string) => text.trim() !== "" && output.note(text.trimEnd()) },
    env: process.env,
    exitCode: null as number | null,
  };
  const cli: Cli & { process: typeof stricliProcess } = {
    process: stricliProcess,
    output,
    interruption,
    rest,
    self: selfCommand(entry),
  };
  const app = application(words, (thrown) => {
    const error = asUsageError(thrown);
    failures.push(error);
    return interruption.exitCode === undefined ? describeError(error, output.errStyle) : "";
  });
  if (isCompletion) {
    const { printProposals } = await import("./commands/completion.ts");
    await printProposals(app, inputs, cli);
    await output.flush();
    return ExitCode.done;
  }
  await run(app, words, cli);
  // Only mistakes in the arguments come in numbers.
  const failure = failures.length > 1 ? new UsageError(failures.map(messageOf).join("\n")) : failures[0];
  const isTold = failure === undefined || failure instanceof ReportedError || interruption.exitCode !== undefined;
  // On a line of its own on a terminal too: it may be the last of many, and a person reads what stderr says.
  if (output.json && !isTold) output.event({ error: errorValue(failure) });
  await output.flush();
  if (output.failure) {
    output.note(
      `${output.errStyle.red("extwire:")} cannot write to stdout: ${output.failure.message}; free disk space, or redirect the output`,
    );
    await output.flush();
    return ExitCode.error;
  }
  if (interruption.exitCode !== undefined) return interruption.exitCode;
  if (failure !== undefined) return exitCodeOf(failure);
  return stricliProcess.exitCode === 0 ? ExitCode.done : ExitCode.usage;
}
