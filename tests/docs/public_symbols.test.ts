/** Every symbol that the package exports says what it is, and every one that can be called or made shows how. */
import assert from "node:assert/strict";
import { test } from "node:test";
import ts from "typescript";
import { ROOT } from "../../tools/bundle.ts";
import { checker, exportsOf } from "./exported.ts";
import { ENTRIES } from "./programs.ts";

/** Examples of these would show nothing: constants, and classes that are only caught. */
const NEEDS_NO_EXAMPLE = new Set(["DEFAULT_LIMITS", "ErrorCode", "MxMethod", "MxVariable"]);

for (const [entry, file] of Object.entries(ENTRIES)) {
  test(`every export of ${entry} is documented`, () => {
    const faults: string[] = [];
    for (const symbol of exportsOf(file)) {
      const where = placeOf(symbol);
      if (ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() === "")
        faults.push(`${where} ${symbol.name} has no doc comment`);
      for (const member of undocumentedMembers(symbol))
        faults.push(`${placeOf(member)} ${symbol.name}.${member.name} has no doc comment`);
    }
    assert.deepEqual(faults, []);
  });

  test(`every function and class of ${entry} has an example`, () => {
    const faults = exportsOf(file)
      .filter((symbol) => isValue(symbol) && !NEEDS_NO_EXAMPLE.has(symbol.name) && !hasExample(symbol))
      .map((symbol) => `${placeOf(symbol)} ${symbol.name}`);
    assert.deepEqual(faults, []);
  });
}

function isValue(symbol: ts.Symbol): boolean {
  return (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class | ts.SymbolFlags.Variable)) !== 0;
}

/** Of itself, or of a way to make it. */
function hasExample(symbol: ts.Symbol): boolean {
  const all = [symbol, ...(symbol.exports?.values() ?? [])];
  return all.some((each) => each.getJsDocTags(checker).some(({ name }) => name === "example"));
}

/** Public methods of classes: what they reject with is nowhere else. Names that say everything need nothing more. */
function undocumentedMembers(symbol: ts.Symbol): ts.Symbol[] {
  if ((symbol.flags & ts.SymbolFlags.Class) === 0) return [];
  return [...(symbol.members?.values() ?? [])].filter((member) => {
    if (!(member.flags & ts.SymbolFlags.Method) || member.name.startsWith("#") || member.name.startsWith("__"))
      return false;
    return ts.displayPartsToString(member.getDocumentationComment(checker)).trim() === "";
  });
}

function placeOf(symbol: ts.Symbol): string {
  const declaration = symbol.declarations?.[0];
  if (!declaration) return "?";
  const source = declaration.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(declaration.getStart());
  return `${source.fileName.slice(ROOT.length)}:${line + 1}`;
}
