#!/usr/bin/env node
/** The executable: arguments to a command to an exit code. */

const argv = process.argv.slice(2);
// An extension must answer as fast as an empty program: nothing of the command line is loaded for it.
const example = argv.length === 2 && argv[0] === "extension" ? argv[1] : undefined;

if (example === "dhara") {
  const { dharaExtension } = await import("./src/cli/commands/extension.ts");
  await dharaExtension();
} else if (example === "mx") {
  const { mxExtension } = await import("./src/cli/commands/extension.ts");
  await mxExtension();
} else {
  const { main } = await import("./src/cli/main.ts");
  const code = await main(argv, import.meta.url);
  // Not process.exit: what is written to a pipe must arrive. Only what else keeps the program alive is cut short.
  process.exitCode = code;
  setTimeout(() => process.exit(code), 500).unref();
}
