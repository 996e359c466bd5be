/** YAML as a value with positions. */
import { isMap, isNode, isPair, isScalar, Lexer, LineCounter, Parser, parseDocument, type YAMLParseError } from "yaml";
import { messageOf } from "../rpc/thrown.ts";
import type { Path } from "./manifest.ts";
import { MAX_DEPTH, type ParsedFile, type Position, positionAt, SyntaxFault, TOO_DEEP } from "./parsed_file.ts";

export function parseYaml(text: string): ParsedFile {
  const lines = new LineCounter();
  refuseDepth(text);
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const [error] = document.errors;
  if (error) throw new SyntaxFault(wordsOf(error), at(lines, error.pos[0]));
  let value: unknown;
  try {
    value = document.toJS();
  } catch (cause) {
    // Aliases that multiply without end.
    throw new SyntaxFault(`can't be read as YAML: ${messageOf(cause)}`, undefined);
  }
  if (value === null || value === undefined) throw new SyntaxFault("is empty", { line: 1, column: 1 });
  return {
    value,
    find(path) {
      for (let length = path.length; length > 0; length--) {
        const found = locate(document, path.slice(0, length));
        if (found !== undefined) return at(lines, found);
      }
      return at(lines, document.contents?.range?.[0] ?? 0);
    },
  };
}

/** Before anything recurses into it: near the end of the stack V8 may end the whole process. */
function refuseDepth(text: string): void {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH) throw new SyntaxFault(TOO_DEEP, positionAt(text, parser.offset));
  }
}

type Document = ReturnType<typeof parseDocument>;

/** The offset of the key of a field, or of an entry of an array. */
function locate(document: Document, path: Path): number | undefined {
  const parent = document.getIn(path.slice(0, -1), true);
  const last = path[path.length - 1];
  if (isMap(parent)) {
    const pair = parent.items.find((each) => isPair(each) && isScalar(each.key) && each.key.value === last);
    return isNode(pair?.key) ? pair.key.range?.[0] : undefined;
  }
  const node = document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}

function at(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** The parser's own, but where they tell of another function of it. */
function wordsOf({ code, message }: YAMLParseError): string {
  return code === "MULTIPLE_DOCS"
    ? 'must contain one YAML document; list several extensions under "extensions"'
    : `is not YAML: ${message}`;
}
