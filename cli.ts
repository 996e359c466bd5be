#!/usr/bin/env node
/** The executable: arguments to a command to an exit code. */

void start(process.argv.slice(2));

// No top-level await: Bun compiles programs to bytecode ahead of time only without it.
async function start(argv: readonly string[]): Promise<void> {
  // An extension must answer as fast as an empty program: nothing of the command line is loaded for it.
  const example = argv.length === 2 && argv[0] === "extension" ? argv[1] : undefined;
  if (example === "dhara" || example === "mx") {
    const { dharaExtension, mxExtension } = await import("./src/cli/commands/extension.ts");
    const served = example === "dhara" ? dharaExtension() : mxExtension();
    return served.catch(failed);
  }
  const { main } = await import("./src/cli/main.ts");
  // Should nothing be left to wait for before `main` has settled, that was not a success.
  process.exitCode = 1;
  await main(argv, import.meta.url).then(end, failed);
}

/** Says why, mostly to somebody who started an example by hand: a runtime would show the line that threw, which is the whole of this program. */
async function failed(thrown: unknown): Promise<void> {
  const [{ asksForJson }, { describeError, errorValue }, { asUsageError }, { exitCodeOf }, { styleFor }] =
    await Promise.all([
      import("./src/cli/arguments.ts"),
      import("./src/cli/describe_error.ts"),
      import("./src/cli/errors.ts"),
      import("./src/cli/exit_codes.ts"),
      import("./src/cli/style.ts"),
    ]);
  const error = asUsageError(thrown);
  if (asksForJson(process.argv)) process.stdout.write(`${JSON.stringify({ error: errorValue(error) })}\n`);
  process.stderr.write(`${describeError(error, styleFor("none"))}\n`);
  end(exitCodeOf(error));
}

function end(code: number): void {
  // Not process.exit: what is written to a pipe must arrive. Only what else keeps the program alive is cut short.
  process.exitCode = code;
  setTimeout(() => process.exit(code), 500).unref();
}
