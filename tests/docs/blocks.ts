/** Finds the examples: fenced blocks of Markdown files, and those behind @example in doc comments. */

export interface Block {
  /** `docs/dhara.md` or the path of a source file, from the root. */
  readonly path: string;
  /** Of the line after the opening fence, from 1. */
  readonly line: number;
  /** The first word behind the fence; empty for none. */
  readonly language: string;
  /** The other words: `file=hello.ts`, `frames`. */
  readonly words: readonly string[];
  /** What follows `not run:`. */
  readonly notRun: string | undefined;
  readonly text: string;
}

const OPENING = /^( *)(`{3,})(.*)$/;

export function markdownBlocks(path: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const opening = OPENING.exec(lines[i]!);
    if (!opening) continue;
    const [, indent = "", fence = "", info = ""] = opening;
    const start = i + 1;
    do i++;
    while (i < lines.length && lines[i]!.trim() !== fence);
    if (i === lines.length) throw new Error(`${path}:${start} opens a block that nothing closes`);
    const body = lines.slice(start, i).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    blocks.push({ path, line: start + 1, ...readInfo(info), text: body.join("\n") });
  }
  return blocks;
}

/** The blocks in the doc comments of a source file, each with the line it has there. */
export function commentBlocks(path: string, source: string): Block[] {
  const blocks: Block[] = [];
  for (const match of source.matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*?@example[\s\S]*?\*\//g)) {
    const before = source.slice(0, match.index).split("\n").length - 1;
    const text = match[0]
      .replace(/^\s*\/\*\*|\*\/$/g, "")
      .split("\n")
      .map((line) => line.replace(/^\s*\* ?/, ""))
      .join("\n");
    for (const block of markdownBlocks(path, text)) blocks.push({ ...block, line: block.line + before });
  }
  return blocks;
}

function readInfo(info: string): Pick<Block, "language" | "words" | "notRun"> {
  const [head = "", notRun] = info.split(/\bnot run:/);
  const [language = "", ...words] = head.trim().split(/\s+/);
  return { language, words, notRun: notRun?.trim() };
}

/** Where a block stands, for the name of its test. */
export function place(block: Block): string {
  return `${block.path}:${block.line}`;
}
