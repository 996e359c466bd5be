/** What the documents name is there: tests, clauses, files, and places in other documents. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { DEFAULT_LIMITS, ErrorCode } from "../../mod.ts";
import { ROOT } from "../../tools/bundle.ts";
import { idsIn, knownIds, readSuites, testNames } from "../../tools/check_requirements.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync(join(ROOT, "docs")).map((f) => `docs/${f}`),
]
  .filter((path) => path.endsWith(".md"))
  .sort();

test("every claim about security names a test that is there", () => {
  const names = new Set([...readSuites().values()].flatMap(testNames));
  const claims = read("docs/security.md")
    .split(/^\* /m)
    .slice(1)
    .map((claim) => claim.split(/\n(?! {2})/)[0]!);
  assert.ok(claims.length > 20);
  const faults: string[] = [];
  for (const claim of claims) {
    const [text = "", cited] = claim.split(/\n {2}Tests?:/);
    if (cited === undefined) faults.push(`no test: ${text}`);
    for (const [, name] of (cited ?? "").replace(/\n\s+/g, " ").matchAll(/`([^`]+)`/g)) {
      if (!names.has(name!)) faults.push(`no such test: ${name}`);
    }
  }
  assert.deepEqual(faults, []);
});

test("every clause that a document names is a clause", () => {
  const known = knownIds();
  const unknown = documents.flatMap((path) =>
    [...idsIn(read(path)), ...[...read(path).matchAll(/\b[DMX]-\d\d\b/g)].map(([id]) => id)]
      .filter((id) => !known.has(id))
      .map((id) => `${path}: ${id}`),
  );
  assert.deepEqual(unknown, []);
});

test("every link between files leads somewhere", () => {
  const broken: string[] = [];
  for (const path of documents) {
    for (const [, target = ""] of read(path).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = "", anchor] = target.split("#");
      const full = file === "" ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, full))) broken.push(`${path}: ${target}`);
      else if (anchor !== undefined && !anchors(read(full)).has(anchor)) broken.push(`${path}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

test("every document is reachable from the README", () => {
  const readme = read("README.md");
  assert.deepEqual(
    documents.filter((path) => path !== "README.md" && !readme.includes(`](${path})`)),
    [],
  );
});

test("every error code is documented, and every limit with its default", () => {
  const text = read("docs/errors-and-limits.md");
  const rows = new Map([...text.matchAll(/^\| `?([\w-]+)`? \| ([^|]+) \|/gm)].map(([, name, value]) => [name, value!]));
  const codes = [...read("src/rpc/errors.ts").matchAll(/^ {2}\| "([\w-]+)"/gm)].map(([, code]) => code!);
  assert.ok(codes.length >= 13);
  for (const code of [...codes, ...Object.values(ErrorCode).map(String)]) assert.ok(rows.has(code), code);
  for (const [name, value] of Object.entries(DEFAULT_LIMITS)) assert.equal(inBytes(rows.get(name) ?? ""), value, name);
});

/** `64 MiB per connection` as a number. */
function inBytes(text: string): number {
  const [, digits = "", unit] = /^([\d,]+)(?: (KiB|MiB))?/.exec(text) ?? [];
  return Number(digits.replaceAll(",", "")) * (unit === "MiB" ? 1024 * 1024 : unit === "KiB" ? 1024 : 1);
}

/** As GitHub makes them of headings. */
function anchors(markdown: string): Set<string> {
  const headings = markdown.matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, text = ""]) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
