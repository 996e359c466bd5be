/** What a caller may leave out may be given as undefined too, or `{ timeoutMs: settings.timeoutMs }` is refused here and taken there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import ts from "typescript";
import { checker, exportsOf } from "./exported.ts";
import { ENTRIES } from "./programs.ts";

test("what a caller may leave out may be undefined", () => {
  const seen = new Set<ts.Type>();
  const faults = Object.values(ENTRIES)
    .flatMap(exportsOf)
    .flatMap(signaturesOf)
    .flatMap((signature) => signature.parameters)
    .flatMap((parameter) => refused(checker.getTypeOfSymbol(parameter), seen));
  assert.ok(
    [...seen].some((type) => type.symbol?.name === "HostOptions"),
    "the options were not looked at",
  );
  assert.deepEqual([...new Set(faults)].sort(), []);
});

/** Of a function itself; of a class its constructor, its methods and its static ones. */
function signaturesOf(symbol: ts.Symbol): readonly ts.Signature[] {
  const type = checker.getTypeOfSymbol(symbol);
  const isClass = (symbol.flags & ts.SymbolFlags.Class) !== 0;
  const owners = isClass ? [type, checker.getDeclaredTypeOfSymbol(symbol)] : [];
  const methods = owners.flatMap((owner) => owner.getProperties().map((each) => checker.getTypeOfSymbol(each)));
  return [type, ...methods].flatMap((each) => [...each.getCallSignatures(), ...each.getConstructSignatures()]);
}

/** The properties of `type`, and of what it is made of, that may be missing and may not be undefined. */
function refused(type: ts.Type, seen: Set<ts.Type>): string[] {
  if (type.isUnionOrIntersection()) return type.types.flatMap((each) => refused(each, seen));
  const constraint = type.isTypeParameter() ? type.getConstraint() : undefined;
  if (constraint) return refused(constraint, seen);
  const own = type.getProperties().filter((each) => each.declarations?.some(isOurs));
  if (seen.has(type) || own.length === 0 || type.getSymbol()?.flags === ts.SymbolFlags.Class) return [];
  seen.add(type);
  return own.flatMap((property) => {
    const declared = checker.getTypeOfSymbol(property);
    // A method that an object does not have is not there at all.
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0 && !(property.flags & ts.SymbolFlags.Method);
    const name = `${checker.typeToString(type)}.${property.name}`;
    return [...(isOptional && !takesUndefined(declared) ? [name] : []), ...refused(declared, seen)];
  });
}

/** The type of a missing property is another one than undefined's. What must be missing has no other type. */
function takesUndefined(type: ts.Type): boolean {
  const plain = checker.getUndefinedType();
  if ((type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0 || type === plain) return true;
  return type.isUnion() ? type.types.includes(plain) : (type.flags & ts.TypeFlags.Undefined) !== 0;
}

function isOurs(declaration: ts.Declaration): boolean {
  return !declaration.getSourceFile().fileName.includes("/node_modules/");
}
