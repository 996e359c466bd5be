/** What the package exports, as the compiler sees it. */
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../../tools/bundle.ts";
import { ENTRIES } from "./programs.ts";

const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT);
const program = ts.createProgram(
  [...Object.values(ENTRIES), "src/adapters/cloudflare_sockets.d.ts"].map((file) => join(ROOT, file)),
  options,
);

export const checker: ts.TypeChecker = program.getTypeChecker();

/** The symbols that `file`, one of the entries, exports: as they are declared, wherever that is. */
export function exportsOf(file: string): ts.Symbol[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(ROOT, file))!)!;
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
}
