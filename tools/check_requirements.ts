/**
 * Holds the tests against the lists of what must hold: `tests/requirements.json` (clauses) and `tests/cases.json`
 * (faults that people met). Fails on an id without a test, on a test that names an id of no list, and where
 * `tests/cases/README.md` tells of the cases what is not so.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { readTree } from "../tests/support/tree.ts";
import { isProgram, ROOT } from "./bundle.ts";

/** Functions whose first argument is the name of a test or of a group of tests. */
const NAMING = new Set(["test", "it", "describe", "suite"]);
const OFF = new Set(["skip", "todo"]);
const ID = /\[((?:[DMX]-|[A-G])\d+)\]/g;

/** The names of the tests and groups in a test file that are not skipped; of a template with values, its fixed parts. */
export function testNames(text: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && isNaming(node.expression)) {
      const [first, second] = node.arguments;
      if (isSkipped(node.expression, second)) return;
      if (first && ts.isStringLiteralLike(first)) names.push(first.text);
      if (first && ts.isTemplateExpression(first)) {
        names.push([first.head.text, ...first.templateSpans.map(({ literal }) => literal.text)].join("…"));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("suite.ts", text, ts.ScriptTarget.Latest));
  return names;
}

/** `test(`, `describe.only(`, and `t.test(` of a test inside a test. */
function isNaming(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return NAMING.has(callee.text);
  if (!ts.isPropertyAccessExpression(callee)) return false;
  return NAMING.has(callee.name.text) || (ts.isIdentifier(callee.expression) && NAMING.has(callee.expression.text));
}

/** What never runs proves nothing. */
function isSkipped(callee: ts.Expression, options: ts.Expression | undefined): boolean {
  if (ts.isPropertyAccessExpression(callee) && OFF.has(callee.name.text)) return true;
  if (!options || !ts.isObjectLiteralExpression(options)) return false;
  return options.properties.some(({ name }) => name && ts.isIdentifier(name) && OFF.has(name.text));
}

export function idsIn(name: string): string[] {
  return [...name.matchAll(ID)].map(([, id]) => id!);
}

/** What is wrong between `known` ids and the test files (text by path), all of it at once. */
export function coverageFaults(known: ReadonlySet<string>, suites: ReadonlyMap<string, string>): string[] {
  const proved = new Set<string>();
  const faults: string[] = [];
  for (const [path, text] of suites) {
    for (const name of testNames(text)) {
      for (const id of idsIn(name)) {
        proved.add(id);
        if (!known.has(id)) faults.push(`${path}: "${name}" names ${id}, which is in no list`);
      }
    }
  }
  const missing = [...known].filter((id) => !proved.has(id));
  if (missing.length > 0) faults.push(`no test proves: ${missing.join(" ")}`);
  return faults;
}

/** What is wrong with the rows about the cases: each has one, the files it names exist, and those that prove it name its id. */
export function caseFaults(
  cases: readonly string[],
  readme: string,
  suites: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): string[] {
  const faults: string[] = [];
  const rows = new Map<string, string>();
  for (const line of readme.split("\n")) {
    const [, id] = /^\| ([A-G]\d+) \|/.exec(line) ?? [];
    if (id === undefined) continue;
    if (rows.has(id)) faults.push(`${id} has two rows`);
    rows.set(id, line);
  }
  for (const id of cases) if (!rows.has(id)) faults.push(`${id} has no row`);
  for (const [id, row] of rows) {
    if (!cases.includes(id)) faults.push(`${id} is no case`);
    const cells = row.split(" | ");
    if (cells.length !== 5) faults.push(`${id} has ${cells.length} cells, not 5`);
    for (const path of filesIn(row)) if (!exists(path)) faults.push(`${id} names ${path}, which is not there`);
    const proofs = filesIn(cells[3] ?? "");
    if (proofs.length === 0) faults.push(`${id} names no test that proves it`);
    for (const path of proofs) {
      if (!testNames(suites.get(path) ?? "").some((name) => idsIn(name).includes(id)))
        faults.push(`${id} is not proved by ${path}`);
    }
  }
  return faults;
}

/** Paths from the root; a test file is named from `tests/suites`, or from `tests`. */
function filesIn(text: string): string[] {
  return [...text.matchAll(/`([\w./]+\.ts)`/g)].map(([, path = ""]) => {
    if (!path.endsWith(".test.ts") || path.startsWith("tests/")) return path;
    return path.includes("/") ? `tests/${path}` : `tests/suites/${path}`;
  });
}

function readIds(file: string): string[] {
  return Object.keys(JSON.parse(readFileSync(join(ROOT, "tests", file), "utf8")) as object);
}

export function knownIds(): Set<string> {
  return new Set([...readIds("requirements.json"), ...readIds("cases.json")]);
}

/** `caseFaults` of the rows that are there. */
export function caseRowFaults(): string[] {
  const readme = readFileSync(join(ROOT, "tests/cases/README.md"), "utf8");
  return caseFaults(readIds("cases.json"), readme, readSuites(), (path) => existsSync(join(ROOT, path)));
}

export function readSuites(): Map<string, string> {
  return new Map([...readTree(/\.test\.ts$/, "tests")].map(([path, text]) => [`tests/${path}`, text]));
}

if (isProgram(import.meta.url)) {
  const known = knownIds();
  const faults = [...coverageFaults(known, readSuites()), ...caseRowFaults()];
  for (const fault of faults) console.log(fault);
  console.log(faults.length === 0 ? `each of ${known.size} ids has a test` : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
