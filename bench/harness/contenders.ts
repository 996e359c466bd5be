/** Contenders that do the same work, and rounds in which they take turns. */
import { isDeepStrictEqual } from "node:util";
import { bundle, type Programs } from "./build.ts";
import { Driver } from "./driver.ts";
import type { Rounds } from "./rows.ts";
import type { Runtime } from "./runtimes.ts";

/** A contender of a suite of calls: the program that calls, and the one that answers. */
export interface Contender {
  /** `ours`, `limit`, or the peer's name. */
  readonly name: string;
  readonly caller: string;
  readonly answerer: string;
  /** Arguments of the answerer. */
  readonly args?: readonly string[];
}

export interface Started {
  readonly name: string;
  readonly driver: Driver;
}

export async function programsOf(contenders: readonly Contender[]): Promise<Programs> {
  return bundle([...new Set(contenders.flatMap(({ caller, answerer }) => [caller, answerer]))]);
}

export async function startAll(
  contenders: readonly Contender[],
  programs: Programs,
  runtime: Runtime,
  /** For the callers. */
  runtimeFlags: readonly string[] = [],
): Promise<Started[]> {
  const started: Started[] = [];
  for (const { name, caller, answerer, args = [] } of contenders) {
    const child = { command: runtime.command, args: [...runtime.args, programs.path(answerer), ...args] };
    const program = programs.path(caller);
    started.push({ name, driver: await Driver.start({ runtime, program, setup: child, runtimeFlags }) });
  }
  return started;
}

/** Nothing is timed before every contender gave the same answers. */
export async function compareAnswers(contenders: readonly Started[], inputs: readonly string[]): Promise<void> {
  for (const { name, driver } of contenders) {
    const answers = await driver.run("answers", inputs);
    if (!isDeepStrictEqual(answers, inputs))
      throw new Error(`${name} answered ${JSON.stringify(answers)} to ${JSON.stringify(inputs)}`);
  }
}

export async function stopAll(contenders: readonly Started[]): Promise<void> {
  await Promise.all(contenders.map(({ driver }) => driver.stop()));
}

/**
 * Lets the contenders take turns, each once a round, and collects what `measure` gives by quantity.
 * The order turns with the rounds, so that nobody always comes after the same neighbour.
 */
export async function alternate<Q extends string>(
  contenders: readonly Started[],
  rounds: number,
  measure: (contender: Started, round: number) => Promise<Readonly<Record<Q, number>>>,
): Promise<Record<Q, Rounds>> {
  const all: Partial<Record<Q, Record<string, number[]>>> = {};
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < contenders.length; i++) {
      const contender = contenders[(i + round) % contenders.length] as Started;
      const measured = await measure(contender, round);
      for (const quantity of Object.keys(measured) as Q[]) {
        const table = (all[quantity] ??= {});
        (table[contender.name] ??= [])[round] = measured[quantity];
      }
    }
  }
  return all as Record<Q, Rounds>;
}

/** Rounds of a later start of the same contenders, behind those of the earlier ones. */
export function append<Q extends string>(
  before: Record<Q, Rounds> | undefined,
  more: Record<Q, Rounds>,
): Record<Q, Rounds> {
  if (before === undefined) return more;
  const all = {} as Record<Q, Rounds>;
  for (const quantity of Object.keys(more) as Q[]) {
    all[quantity] = Object.fromEntries(
      Object.entries(more[quantity]).map(([name, values]) => [name, [...(before[quantity][name] ?? []), ...values]]),
    );
  }
  return all;
}
