/** What every command is given. */
import type { CommandContext } from "@stricli/core";
import type { Interruption } from "./interruption.ts";
import type { Output } from "./output.ts";
import type { SelfCommand } from "./self.ts";

export interface Cli extends CommandContext {
  readonly output: Output;
  readonly interruption: Interruption;
  /** What stood behind `--`: a command and its arguments. Undefined without a `--`. */
  readonly rest: readonly string[] | undefined;
  /** Starts this program again. */
  readonly self: SelfCommand;
}
