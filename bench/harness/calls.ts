/** The work that every contender of `stdio` and `tcp` does: a tool call with about 100 bytes each way. */
import { serveHarness } from "./program.ts";

/** How to start the other side. */
export interface ChildCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Caller<Answer> {
  /** Calls the tool `echo` with `{text}`. */
  call(text: string): Promise<Answer>;
  /** The text in what `call` gave: apart, so that no contender pays for one more promise. */
  textOf(answer: Answer): string;
  readonly childPid: number | undefined;
  close(): unknown;
}

/** 64 texts of 64 bytes; with the envelope of the tool call that makes about 100 bytes each way. */
const texts = Array.from({ length: 64 }, (_, i) =>
  `call ${String(i).padStart(2, "0")}: https://example.com/some/page?with=query&and=more`.padEnd(64, "."),
);

/** Answers of every contender are compared over these before anything is timed. */
export const sampleTexts = [...texts.slice(0, 3), 'a "quoted" \\ text', "größe 漢字 🙂", ""];

/** Obeys `answers`, `flood` and `latency`. */
export function serveCalls<Answer>(caller: Caller<Answer>): void {
  serveHarness(
    {
      answers: (inputs: readonly string[]) =>
        Promise.all(inputs.map(async (text) => caller.textOf(await caller.call(text)))),
      flood: ({ count, inFlight }: { count: number; inFlight: number }) => flood(caller, count, inFlight),
      latency: ({ count }: { count: number }) => latency(caller, count),
      heap: () => {
        (globalThis as { gc?: () => void }).gc?.();
        return process.memoryUsage().heapUsed;
      },
      heapNow: () => process.memoryUsage().heapUsed,
    },
    () => caller.close(),
    caller.childPid,
  );
}

/** `count` calls, `inFlight` of them always under way. Gives milliseconds. */
function flood<Answer>(caller: Caller<Answer>, count: number, inFlight: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    let started = 0;
    let ended = 0;
    const callOne = (): void => {
      if (started === count) return;
      const text = texts[started++ & 63] as string;
      caller.call(text).then((answer) => {
        if (caller.textOf(answer) !== text) reject(new Error(`a wrong answer to ${text}`));
        else if (++ended === count) resolve(performance.now() - begin);
        else callOne();
      }, reject);
    };
    for (let i = 0; i < inFlight; i++) callOne();
  });
}

/** `count` calls one after the other. Gives the median in microseconds. */
async function latency<Answer>(caller: Caller<Answer>, count: number): Promise<number> {
  const times = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const begin = performance.now();
    await caller.call(texts[i & 63] as string);
    times[i] = performance.now() - begin;
  }
  times.sort();
  return (times[count >> 1] as number) * 1000;
}
