/** As much of `node:assert/strict` as the suites use, for runtimes that have none: workerd and browsers. */
import { isDeepEqual } from "./deep_equal.ts";

/** What an error may be held against: a pattern for its text, its class, a check, or the properties it has. */
type Expected = RegExp | Error | object | ((error: unknown) => unknown);

export class AssertionError extends Error {
  override readonly name = "AssertionError";
  readonly code = "ERR_ASSERTION";
}

function assert(value: unknown, message?: string | Error): asserts value {
  if (!value) fail(message ?? `${show(value)} is not truthy`);
}

function fail(message: string | Error = "failed"): never {
  throw message instanceof Error ? message : new AssertionError(message);
}

function check(holds: boolean, message: string | Error | undefined, otherwise: () => string): void {
  if (!holds) fail(message instanceof Error ? message : message ? `${message}: ${otherwise()}` : otherwise());
}

type Compare = (actual: unknown, expected: unknown, message?: string | Error) => void;

const equal: Compare = (actual, expected, message) =>
  check(Object.is(actual, expected), message, () => `${show(actual)} is not ${show(expected)}`);
const notEqual: Compare = (actual, expected, message) =>
  check(!Object.is(actual, expected), message, () => `${show(actual)} on both sides`);
const deepEqual: Compare = (actual, expected, message) =>
  check(isDeepEqual(actual, expected), message, () => `${show(actual)}\nis not\n${show(expected)}`);
const notDeepEqual: Compare = (actual, expected, message) =>
  check(!isDeepEqual(actual, expected), message, () => `${show(actual)} on both sides`);

function match(text: string, pattern: RegExp, message?: string | Error): void {
  check(pattern.test(text), message, () => `${show(text)} does not match ${pattern}`);
}

function doesNotMatch(text: string, pattern: RegExp, message?: string | Error): void {
  check(!pattern.test(text), message, () => `${show(text)} matches ${pattern}`);
}

function throws(body: () => unknown, expected?: Expected | string, message?: string): void {
  let thrown: [error: unknown] | undefined;
  try {
    body();
  } catch (error) {
    thrown = [error];
  }
  judge(thrown, expected, message);
}

async function rejects(
  body: Promise<unknown> | (() => Promise<unknown>),
  expected?: Expected | string,
  message?: string,
) {
  let thrown: [error: unknown] | undefined;
  try {
    await (typeof body === "function" ? body() : body);
  } catch (error) {
    thrown = [error];
  }
  judge(thrown, expected, message);
}

function doesNotThrow(body: () => unknown): void {
  body();
}

async function doesNotReject(body: Promise<unknown> | (() => Promise<unknown>)): Promise<void> {
  await (typeof body === "function" ? body() : body);
}

function ifError(value: unknown): void {
  if (value !== null && value !== undefined) throw value instanceof Error ? value : new AssertionError(show(value));
}

function judge(thrown: [error: unknown] | undefined, expected: Expected | string | undefined, message?: string): void {
  if (!thrown) fail(message ?? (typeof expected === "string" ? expected : "nothing was thrown"));
  if (expected === undefined || typeof expected === "string") return;
  const [error] = thrown;
  if (expected instanceof RegExp) match(String(error), expected, message);
  else if (typeof expected === "function") judgeByFunction(error, expected as (error: unknown) => unknown, message);
  else judgeByProperties(error, expected, message);
}

function judgeByFunction(error: unknown, expected: (error: unknown) => unknown, message?: string): void {
  const isClass = expected.prototype !== undefined && error instanceof expected;
  if (isClass) return;
  if (expected.prototype instanceof Error || (expected as unknown) === Error) {
    fail(message ?? `${show(error)} is no ${expected.name}`);
  }
  check(expected(error) === true, message, () => `the check did not return true for ${show(error)}`);
}

function judgeByProperties(error: unknown, expected: object, message?: string): void {
  const keys = expected instanceof Error ? [...Object.keys(expected), "name", "message"] : Object.keys(expected);
  for (const key of keys) {
    const actual = (error as Record<string, unknown>)[key];
    const wanted = (expected as Record<string, unknown>)[key];
    if (wanted instanceof RegExp && typeof actual === "string") match(actual, wanted, message);
    else
      check(
        isDeepEqual(actual, wanted),
        message,
        () => `${key} is ${show(actual)}, not ${show(wanted)}, of ${show(error)}`,
      );
  }
}

function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${value.byteLength} bytes)`;
  try {
    const text = JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "bigint" ? `${inner}n` : inner), 1);
    return (text ?? String(value)).slice(0, 4_000);
  } catch {
    return String(value);
  }
}

const all = {
  AssertionError,
  deepEqual,
  deepStrictEqual: deepEqual,
  doesNotMatch,
  doesNotReject,
  doesNotThrow,
  equal,
  fail,
  ifError,
  match,
  notDeepEqual,
  notDeepStrictEqual: notDeepEqual,
  notEqual,
  notStrictEqual: notEqual,
  ok: assert,
  rejects,
  strictEqual: equal,
  throws,
};

export default Object.assign(assert, all, { strict: Object.assign(assert, all) });
export {
  assert as ok,
  assert as strict,
  deepEqual,
  doesNotMatch,
  doesNotReject,
  doesNotThrow,
  equal,
  fail,
  ifError,
  match,
  notDeepEqual,
  notEqual,
  rejects,
  throws,
};
