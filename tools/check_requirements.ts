/**
 * Holds the tests against the lists of what must hold: `tests/requirements.json` (clauses) and `tests/cases.json`
 * (faults that people met). Fails on an id without a test, and on a test that names an id of no list.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { ROOT } from "./bundle.ts";

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

export function knownIds(): Set<string> {
  const read = (file: string) => Object.keys(JSON.parse(readFileSync(join(ROOT, "tests", file), "utf8")) as object);
  return new Set([...read("requirements.json"), ...read("cases.json")]);
}

export function readSuites(): Map<string, string> {
  const folder = join(ROOT, "tests");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return new Map(
    files
      .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
      .map((file) => [`tests/${file}`, readFileSync(join(folder, file), "utf8")]),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const known = knownIds();
  const faults = coverageFaults(known, readSuites());
  for (const fault of faults) console.log(fault);
  console.log(faults.length === 0 ? `each of ${known.size} ids has a test` : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
