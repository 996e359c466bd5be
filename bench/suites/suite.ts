/** What a suite is to `run.ts`. */
import type { Row } from "../harness/rows.ts";
import type { Runtime } from "../harness/runtimes.ts";

export interface SuiteOptions {
  readonly runtime: Runtime;
  /** Ends within 40 s, at the price of more noise. */
  readonly quick: boolean;
}

/** Names of contenders that a suite of calls leaves out: for a closer look at the others. */
export type Suite = (options: SuiteOptions) => Promise<readonly Row[]>;
