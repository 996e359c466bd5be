/** As much of `node:test` as the suites use, for runtimes that have none: workerd and browsers. */

type Body = (context: TestContext) => unknown;
type Hook = () => unknown;

interface Options {
  readonly skip?: boolean | string;
  readonly timeout?: number;
}

interface Group {
  readonly name: string;
  readonly parent: Group | undefined;
  readonly entries: (() => Promise<void>)[];
  readonly hooks: Record<"before" | "after" | "beforeEach" | "afterEach", Hook[]>;
}

/** The same fields as the reports of the other runtimes are read into. */
export interface Result {
  readonly name: string;
  readonly state: "passed" | "failed" | "skipped";
  readonly message: string;
}

export interface TestContext {
  readonly name: string;
  test(name: string, ...rest: [Options, Body] | [Body]): Promise<void>;
  diagnostic(message: string): void;
}

const LONGEST_TEST_MS = 15 * 60_000;

/** Taken once: a test may replace them, and its own deadline is no timer of its. */
const { setTimeout, clearTimeout } = globalThis;

let results: Result[] = [];
let current: Group = group("", undefined);

/** Runs the tests that `load` registers, in order, and reports on each. */
export async function runSuite(load: () => Promise<unknown>): Promise<Result[]> {
  results = [];
  current = group("", undefined);
  const root = current;
  try {
    await load();
    await runGroup(root);
  } catch (error) {
    results.push({ name: "the suite itself", state: "failed", message: explain(error) });
  }
  return results;
}

export function test(name: string, ...rest: [Options, Body] | [Body]): Promise<void> {
  const [options, body] = rest.length === 2 ? rest : [{}, rest[0]];
  const parent = current;
  parent.entries.push(() => runTest(parent, name, options, body));
  return Promise.resolve();
}

export function describe(name: string, ...rest: [Options, Hook] | [Hook]): Promise<void> {
  const [options, body] = rest.length === 2 ? rest : [{}, rest[0]];
  const own = group(name, current);
  if (options.skip) own.parent!.entries.push(async () => skip(path(own)));
  else own.parent!.entries.push(() => runGroup(own));
  const outer = current;
  current = own;
  try {
    body();
  } finally {
    current = outer;
  }
  return Promise.resolve();
}

test.skip = (name: string) => {
  const parent = current;
  parent.entries.push(async () => skip(path(parent, name)));
};

export const it: typeof test = test;
export const suite: typeof describe = describe;
export const before = (hook: Hook): void => void current.hooks.before.push(hook);
export const after = (hook: Hook): void => void current.hooks.after.push(hook);
export const beforeEach = (hook: Hook): void => void current.hooks.beforeEach.push(hook);
export const afterEach = (hook: Hook): void => void current.hooks.afterEach.push(hook);
export default test;

function group(name: string, parent: Group | undefined): Group {
  return { name, parent, entries: [], hooks: { before: [], after: [], beforeEach: [], afterEach: [] } };
}

async function runGroup(own: Group): Promise<void> {
  try {
    for (const hook of own.hooks.before) await hook();
    for (const entry of own.entries) await entry();
  } finally {
    for (const hook of own.hooks.after) await hook();
  }
}

async function runTest(parent: Group, name: string, options: Options, body: Body): Promise<void> {
  if (options.skip) return skip(path(parent, name));
  const inner = results.length;
  try {
    for (const hook of hooksAround(parent, "beforeEach")) await hook();
    try {
      await withDeadline(Promise.resolve(body(context(parent, name))), options.timeout ?? LONGEST_TEST_MS);
    } finally {
      for (const hook of hooksAround(parent, "afterEach").reverse()) await hook();
    }
    // A test with tests inside stands for them, as on the other runtimes.
    if (results.length === inner) results.push({ name: path(parent, name), state: "passed", message: "" });
  } catch (error) {
    results.push({ name: path(parent, name), state: "failed", message: explain(error) });
  }
}

function context(parent: Group, name: string): TestContext {
  const own = group(name, parent);
  return {
    name,
    test: (inner, ...rest) => {
      const [options, body] = rest.length === 2 ? rest : [{}, rest[0]];
      return runTest(own, inner, options, body);
    },
    diagnostic: () => {},
  };
}

function hooksAround(inner: Group, kind: "beforeEach" | "afterEach"): Hook[] {
  const hooks: Hook[] = [];
  for (let at: Group | undefined = inner; at; at = at.parent) hooks.unshift(...at.hooks[kind]);
  return hooks;
}

async function withDeadline(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`still running after ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function skip(name: string): void {
  results.push({ name, state: "skipped", message: "" });
}

function path(parent: Group, name?: string): string {
  const names: string[] = name === undefined ? [] : [name];
  for (let at: Group | undefined = parent; at?.parent; at = at.parent) names.unshift(at.name);
  return names.join(" > ");
}

function explain(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ""}` : String(error);
}
