/** The rules of the tree as functions over its files, so that each rule can be shown to catch what it is for. */
import { posix } from "node:path";
import ts from "typescript";

/** The text of each file by its path from the root, with forward slashes. */
export type Files = ReadonlyMap<string, string>;

/** The files that each file imports, types included, by path. Packages and built-ins are left out. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** From the bottom to the top; a file may import from its own layer and from lower ones. */
const LAYERS: readonly (readonly [layer: string, rank: number, path: RegExp])[] = [
  // It imports nothing.
  ["the WebAssembly", -2, /^codec\/codec\.wasm$/],
  // Of the built files alone: what several of them import, which imports none of them back.
  ["shared", -1, /^shared\//],
  ["codec", 0, /^codec\//],
  ["rpc", 1, /^src\/rpc\//],
  ["dhara", 2, /^src\/dhara\//],
  ["mx", 2, /^src\/mx\//],
  ["host", 3, /^src\/host\//],
  ["mod", 4, /^mod(_\w+)?\.[jt]s$/],
  ["adapters", 5, /^src\/adapters\//],
  ["examples", 6, /^examples\//],
  ["cli", 7, /^(cli\.[jt]s$|src\/cli\/)/],
  ["tooling", 8, /^(tools|tests|bench)\//],
];

/** Where a runtime may be called by its name. */
const RUNTIME_BOUND = /^(src\/adapters\/|src\/cli\/|cli\.[jt]s$|tools\/|tests\/|bench\/|examples\/)/;
/** Where `@std/streams` may be used: it has no back-pressure of its own, and no limits where the protocols need them. */
const OFF_THE_WIRE = /^(src\/cli\/|examples\/|tools\/|tests\/)/;
const RUNTIME_GLOBALS = new Set(["Deno", "Bun", "Buffer", "process"]);
const RUNTIME_MODULES = /^(node|cloudflare|bun|deno|jsr|https?):/;

/** What a file imports, exactly as it is written there. */
export function specifiers(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

/** A relative import of a file that is not there is kept, so that no rule is passed by a wrong name. */
export function importGraph(files: Files): Graph {
  const graph = new Map<string, string[]>();
  for (const [path, text] of files) {
    const relative = specifiers(text).filter((specifier) => specifier.startsWith("."));
    graph.set(path, [...new Set(relative.map((specifier) => posix.join(posix.dirname(path), specifier)))]);
  }
  return graph;
}

/** Imports that go up, or across between dhara and mx, and files that belong to no layer. */
export function layerFaults(graph: Graph): string[] {
  const faults: string[] = [];
  for (const [path, imports] of graph) {
    const from = layerOf(path);
    if (!from) {
      faults.push(`${path} belongs to no layer`);
      continue;
    }
    for (const target of imports) {
      const to = layerOf(target);
      const across = to && to[1] === from[1] && to[0] !== from[0];
      if (!to || to[1] > from[1] || across)
        faults.push(`${path} (${from[0]}) imports ${target} (${to?.[0] ?? "no layer"})`);
    }
  }
  return faults;
}

function layerOf(path: string) {
  return LAYERS.find(([, , pattern]) => pattern.test(path));
}

/** Each group of files that import one another in a circle. */
export function cycles(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (path: string) => {
    order.set(path, order.size);
    low.set(path, order.get(path)!);
    stack.push(path);
    const targets = graph.get(path) ?? [];
    for (const target of targets) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) low.set(path, Math.min(low.get(path)!, low.get(target)!));
    }
    if (low.get(path) !== order.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    if (group.length > 1 || targets.includes(path)) found.push(group.sort());
  };
  for (const path of graph.keys()) if (!order.has(path)) visit(path);
  return found;
}

/** How `start` comes to import a file that `forbidden` matches, step by step; undefined when it never does. */
export function pathTo(graph: Graph, start: string, forbidden: RegExp): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[start, undefined]]);
  for (const path of cameFrom.keys()) {
    if (forbidden.test(path)) {
      const way: string[] = [];
      for (let at: string | undefined = path; at !== undefined; at = cameFrom.get(at)) way.unshift(at);
      return way;
    }
    for (const target of graph.get(path) ?? []) if (!cameFrom.has(target)) cameFrom.set(target, path);
  }
  return undefined;
}

/** Names of one runtime in files that must run on all of them. */
export function runtimeNames(files: Files): string[] {
  const faults: string[] = [];
  for (const [path, text] of files) {
    if (RUNTIME_BOUND.test(path)) continue;
    for (const specifier of specifiers(text)) {
      if (RUNTIME_MODULES.test(specifier)) faults.push(`${path} imports ${specifier}`);
    }
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    for (const [name, at] of globalsIn(source)) {
      if (RUNTIME_GLOBALS.has(name))
        faults.push(`${path}:${source.getLineAndCharacterOfPosition(at).line + 1} names ${name}`);
    }
  }
  return faults;
}

/** Files on the way of messages, or in the package, that import what only collects and limits streams. */
export function streamHelpers(files: Files): string[] {
  const imports = (text: string) => specifiers(text).some((specifier) => /^(jsr:)?@std\//.test(specifier));
  return [...files].filter(([path, text]) => !OFF_THE_WIRE.test(path) && imports(text)).map(([path]) => path);
}

/** Names that a file uses and does not declare, and the members of globalThis it reads. */
function* globalsIn(source: ts.SourceFile): Generator<[name: string, at: number]> {
  const nodes = [...below(source)];
  const declared = new Set(nodes.filter(isDeclaration).map(({ name }) => (name as ts.Identifier).text));
  for (const node of nodes) {
    if (ts.isIdentifier(node) && !isMemberName(node) && !declared.has(node.text)) yield [node.text, node.getStart()];
    if (ts.isPropertyAccessExpression(node) && isGlobalThis(node.expression)) yield [node.name.text, node.getStart()];
    if (ts.isElementAccessExpression(node) && isGlobalThis(node.expression)) {
      if (ts.isStringLiteral(node.argumentExpression)) yield [node.argumentExpression.text, node.getStart()];
    }
    if (ts.isBindingElement(node) && isFromGlobalThis(node)) {
      yield [((node.propertyName ?? node.name) as ts.Identifier).text, node.getStart()];
    }
  }
}

function* below(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* below(child);
}

function isDeclaration(node: ts.Node): node is ts.NamedDeclaration {
  return (
    (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) && ts.isIdentifier(node.name)
  );
}

/** The name of a member, of a type's or a literal's property: not a variable. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isQualifiedName(parent)) return parent.right === node;
  if (ts.isShorthandPropertyAssignment(parent)) return false;
  const named = parent as ts.Node & { name?: ts.Node; propertyName?: ts.Node };
  return named.name === node || named.propertyName === node;
}

function isFromGlobalThis(node: ts.BindingElement): boolean {
  const declaration = node.parent.parent;
  return ts.isVariableDeclaration(declaration) && !!declaration.initializer && isGlobalThis(declaration.initializer);
}

function isGlobalThis(node: ts.Node): boolean {
  if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node)) return isGlobalThis(node.expression);
  return ts.isIdentifier(node) && node.text === "globalThis";
}

/** Files longer than `limit` lines that `reasons` does not excuse, and excuses that are no longer needed. */
export function lengthFaults(files: Files, limit: number, reasons: Readonly<Record<string, string>>): string[] {
  const faults: string[] = [];
  for (const [path, text] of files) {
    const lines = text.trimEnd().split("\n").length;
    if (lines > limit && !reasons[path]) faults.push(`${path} has ${lines} lines: is there a second thing in it?`);
  }
  for (const path of Object.keys(reasons)) {
    const text = files.get(path);
    if (text === undefined || text.trimEnd().split("\n").length <= limit)
      faults.push(`${path} needs its excuse no more`);
  }
  return faults;
}
