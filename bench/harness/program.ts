/** The measured program's end of `Driver`: commands come as JSON lines on stdin, answers go to stdout. */

export type Operations = Readonly<Record<string, (args: never) => unknown>>;

/** What the harness passed as `setup`. */
export function setup<T>(): T {
  return JSON.parse(process.argv.at(-1) as string) as T;
}

/** Obeys commands until `quit` or the end of stdin; then `close` runs and the process exits. */
export function serveHarness(operations: Operations, close: () => unknown, childPid?: number): void {
  let rest = "";
  let turn = Promise.resolve();
  const answer = (message: unknown): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
  const leave = async (): Promise<void> => {
    await close();
    process.exit(0);
  };
  const obey = async (line: string): Promise<void> => {
    const { op, args } = JSON.parse(line) as { op: string; args: unknown };
    if (op === "quit") return leave();
    try {
      const operation = operations[op] as ((args: unknown) => unknown) | undefined;
      if (operation === undefined) throw new Error(`no operation ${op}`);
      answer({ value: (await operation(args)) ?? null });
    } catch (error) {
      answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  };
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) turn = turn.then(() => obey(line));
  });
  process.stdin.on("end", () => void turn.then(leave));
  answer({ value: { childPid } });
}
