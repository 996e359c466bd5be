/** What suites may rely on from their test runner, the same everywhere: the small stand-ins for workerd and browsers too. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it, test } from "node:test";

const calls: string[] = [];

describe("hooks", () => {
  before(() => void calls.push("before"));
  beforeEach(() => void calls.push("beforeEach"));
  afterEach(() => void calls.push("afterEach"));
  after(() => void calls.push("after"));

  it("run before", () => assert.deepEqual(calls, ["before", "beforeEach"]));
  it("run around each test", () => assert.deepEqual(calls.slice(1), ["beforeEach", "afterEach", "beforeEach"]));
});

test("hooks run after the last test of their group", () => assert.equal(calls.at(-1), "after"));

test("deep equality looks at types, bytes, keys, prototypes and circles", () => {
  const circle: { a: number; self?: unknown } = { a: 1 };
  circle.self = circle;
  const other: { a: number; self?: unknown } = { a: 1 };
  other.self = other;
  assert.deepEqual(circle, other);
  assert.deepEqual({ a: 1, b: [new Map([["k", new Set([1])]])] }, { b: [new Map([["k", new Set([1])]])], a: 1 });
  assert.deepEqual(new Error("a", { cause: 1 }), new Error("a", { cause: 1 }));
  const unequal: [unknown, unknown][] = [
    [new Uint8Array([1]), new Uint8Array([2])],
    [new Uint8Array([1]), [1]],
    [{ a: undefined }, {}],
    [0, -0],
    ["1", 1],
    [{ a: 1 }, Object.assign(Object.create(null) as object, { a: 1 })],
    [new Map([[1, 2]]), new Map([[1, 3]])],
    [new Error("a"), new Error("b")],
    [[1, 2], [1]],
  ];
  for (const [left, right] of unequal) assert.notDeepEqual(left, right);
});

test("errors are held against patterns, classes, properties and checks", async () => {
  const fail = () => {
    throw Object.assign(new TypeError("no way"), { code: "E" });
  };
  assert.throws(fail, /TypeError: no way/);
  assert.throws(fail, TypeError);
  assert.throws(fail, { name: "TypeError", code: "E", message: /way/ });
  assert.throws(fail, (error: unknown) => error instanceof Error && error.message === "no way");
  await assert.rejects(async () => fail(), { code: "E" });
  assert.throws(() => assert.throws(fail, { code: "F" }), { code: "ERR_ASSERTION" });
  assert.throws(() => assert.throws(() => {}), { code: "ERR_ASSERTION" });
  assert.throws(() => assert.throws(fail, RangeError), { code: "ERR_ASSERTION" });
  await assert.rejects(assert.rejects(Promise.resolve()), { code: "ERR_ASSERTION" });
});
