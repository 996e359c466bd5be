/** What an extension of ours has loaded before its first message: nothing of the host, of the command line, or heavy. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { ROOT } from "../../tools/bundle.ts";

/** Every module that is loaded together with `entry`, by path from the root; packages by name. What is imported later is not. */
function loadedWith(entry: string): Set<string> {
  const loaded = new Set<string>();
  const visit = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    const source = ts.createSourceFile(path, readFileSync(join(ROOT, path), "utf8"), ts.ScriptTarget.Latest);
    for (const statement of source.statements) {
      if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
      if (isTypeOnly(statement) || !statement.moduleSpecifier || !ts.isStringLiteral(statement.moduleSpecifier))
        continue;
      const name = statement.moduleSpecifier.text;
      if (name.startsWith(".")) visit(relative(ROOT, join(ROOT, dirname(path), name)));
      else loaded.add(name);
    }
  };
  visit(entry);
  return loaded;
}

function isTypeOnly(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  const clause = statement.importClause;
  if (!clause || clause.isTypeOnly) return clause !== undefined;
  const bindings = clause.namedBindings;
  if (clause.name || !bindings || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.every(({ isTypeOnly }) => isTypeOnly);
}

const HEAVY = /^(?:src\/(?:host|cli)\/|@stricli|typebox|linkedom|@mozilla|yaml|smol-toml|jsonc-parser)/;

test("the rule sees what is loaded, and not what is loaded later", () => {
  assert.ok(loadedWith("src/cli/main.ts").has("@stricli/core"));
  assert.ok(!loadedWith("src/cli/main.ts").has("src/host/host.ts"));
  assert.ok(loadedWith("src/cli/commands/call.ts").has("src/host/host.ts"));
});

for (const [what, entries] of [
  ["the executable itself", ["cli.ts"]],
  ["the Dhara example", ["src/cli/commands/extension.ts", "src/adapters/node_serve.ts", "examples/dhara/extension.ts"]],
  ["the MX example", ["src/cli/commands/extension.ts", "examples/mx/watch.ts"]],
] as const) {
  test(`${what} loads nothing heavy before its first message`, () => {
    const loaded = entries.flatMap((entry) => [...loadedWith(entry)]);
    assert.deepEqual(
      loaded.filter((name) => HEAVY.test(name) && name !== "src/cli/commands/extension.ts"),
      [],
    );
  });
}
