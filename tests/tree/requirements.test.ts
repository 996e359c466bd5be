/** The check that holds the tests against the list of clauses, shown what it must catch. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { caseFaults, caseRowFaults, coverageFaults, idsIn, testNames } from "../../tools/check_requirements.ts";

test("names of tests and groups are read, of templates and tests in tests too", () => {
  const text = `test("[D-99] a", () => {}); describe(\`[M-99] \${b} c\`, () => { it('d', () => {}); });
    test.skip("e0"); test("e1", { skip: "why" }, () => {}); test("e", { timeout: 1 }, () => {}); test("f", async (t) => { await t.test("g", () => {}); }); other("h"); // test("i")`;
  assert.deepEqual(testNames(text), ["[D-99] a", "[M-99] … c", "d", "e", "f", "g"]);
  assert.deepEqual(idsIn("[D-98] [A99] text [not an id] [X-99]"), ["D-98", "A99", "X-99"]);
});

test("an id without a test and a test with an unknown id are found, all at once", () => {
  const suite = new Map([["a.test.ts", `test("[D-98] [B98] x", () => {}); test("[M-98] y", () => {});`]]);
  const faults = coverageFaults(new Set(["D-98", "B98", "X-98", "C98"]), suite);
  assert.equal(faults.length, 2);
  assert.match(faults[0]!, /a\.test\.ts.*M-98/);
  assert.equal(faults[1], "no test proves: X-98 C98");
  assert.deepEqual(coverageFaults(new Set(["D-98", "B98", "M-98"]), suite), []);
});

test("rows about cases that are missing, twice there, or name what does not exist or does not prove them are found", () => {
  const suites = new Map([["tests/suites/a.test.ts", `test("[A98] x", () => {});`]]);
  const exists = (path: string) => ["src/a.ts", "tests/suites/a.test.ts"].includes(path);
  const good = "| A98 | kind | `src/a.ts` | `a.test.ts` | none |";
  assert.deepEqual(caseFaults(["A98"], good, suites, exists), []);
  const bad = [
    good,
    good,
    "| B98 | kind | `src/b.ts` | `a.test.ts` | none |",
    "| C98 | kind | here | no test | none |",
  ];
  assert.deepEqual(caseFaults(["A98", "B98", "D98"], bad.join("\n"), suites, exists), [
    "A98 has two rows",
    "D98 has no row",
    "B98 names src/b.ts, which is not there",
    "B98 is not proved by tests/suites/a.test.ts",
    "C98 is no case",
    "C98 names no test that proves it",
  ]);
});

test("every case has its row, every file a row names is there, and what proves it names it", () => {
  assert.deepEqual(caseRowFaults(), []);
});
