/** Reads the JUnit reports of node:test (20 and later), deno test and bun test as one list of tests. */

export interface TestResult {
  /** The names of its groups and its own, joined by " > ". */
  readonly name: string;
  readonly state: "passed" | "failed" | "skipped";
  /** What a failed test said. */
  readonly message: string;
}

const TAG = /<(\/?)(testsuites|testsuite|testcase|failure|error|skipped)((?:\s+[\w-]+="[^"]*")*)\s*(\/?)>/g;

/** Every test that has no tests inside it. */
export function readJunit(xml: string): TestResult[] {
  const results: TestResult[] = [];
  const groups: string[] = [];
  let name: string | undefined;
  let state: TestResult["state"] = "passed";
  let message = "";
  let messageStart = -1;
  const finish = () => {
    if (name !== undefined) results.push({ name: [...groups.filter(isGroup), name].join(" > "), state, message });
    name = undefined;
  };
  for (const match of xml.matchAll(TAG)) {
    const [whole, closing, tag, attributes = "", single] = match;
    if (tag === "testsuite") {
      if (closing) groups.pop();
      else groups.push(attribute(attributes, "name"));
    } else if (tag === "testcase") {
      if (closing) finish();
      else {
        name = attribute(attributes, "name");
        state = "passed";
        message = "";
        if (single) finish();
      }
    } else if (tag === "skipped") state = "skipped";
    else if (tag === "failure" || tag === "error") {
      if (closing) message = unescaped(xml.slice(messageStart, match.index)).trim() || message;
      else {
        state = "failed";
        message = attribute(attributes, "message");
        messageStart = match.index + whole.length;
      }
    }
  }
  return withoutGroups(results);
}

/** Deno and Bun put the tests of a file in a suite that has the file's name; that is no group. */
function isGroup(name: string): boolean {
  return !/\.[cm]?[jt]s$/.test(name);
}

/** Deno lists a group as a test beside the tests in it. */
function withoutGroups(results: readonly TestResult[]): TestResult[] {
  const parents = new Set<string>();
  for (const { name } of results) {
    for (let at = name.indexOf(" > "); at !== -1; at = name.indexOf(" > ", at + 1)) parents.add(name.slice(0, at));
  }
  return results.filter(({ name }) => !parents.has(name));
}

function attribute(attributes: string, key: string): string {
  return unescaped(new RegExp(`\\s${key}="([^"]*)"`).exec(attributes)?.[1] ?? "");
}

/** Twice for quotes: Node 20 escapes what it has escaped. */
function unescaped(text: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  const once = (value: string) =>
    value.replace(
      /&(?:(lt|gt|quot|apos|amp)|#(\d+)|#x([\da-f]+));/gi,
      (_all, name?: string, dec?: string, hex?: string) =>
        name ? entities[name]! : String.fromCodePoint(dec ? Number(dec) : Number.parseInt(hex!, 16)),
    );
  return once(text).replace(/&quot;/g, '"');
}
