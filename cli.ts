#!/usr/bin/env node
/** The executable: arguments to a command to an exit code. */

void start(process.argv.slice(2));

// No top-level await: Bun compiles programs to bytecode ahead of time only without it.
async function start(argv: readonly string[]): Promise<void> {
  // An extension must answer as fast as an empty program: nothing of the command line is loaded for it.
  const example = argv.length === 2 && argv[0] === "extension" ? argv[1] : undefined;
  if (example === "dhara" || example === "mx") {
    const { dharaExtension, mxExtension } = await import("./src/cli/commands/extension.ts");
    return example === "dhara" ? dharaExtension() : mxExtension();
  }
  const { main } = await import("./src/cli/main.ts");
  // Should nothing be left to wait for before `main` has settled, that was not a success.
  process.exitCode = 1;
  const code = await main(argv, import.meta.url);
  // Not process.exit: what is written to a pipe must arrive. Only what else keeps the program alive is cut short.
  process.exitCode = code;
  setTimeout(() => process.exit(code), 500).unref();
}
