/** All that is shown: the blocks of each document, and those of the doc comments that the package's entries reach. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importGraph } from "../../tools/architecture.ts";
import { ROOT } from "../../tools/bundle.ts";
import { type Block, commentBlocks, markdownBlocks } from "./blocks.ts";
import { ENTRIES } from "./programs.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** By path. */
export function readDocuments(): Map<string, Block[]> {
  const inFolder = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  const paths = inFolder.filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`);
  return new Map(
    ["README.md", "CONTRIBUTING.md", ...paths].sort().map((path) => [path, markdownBlocks(path, read(path))]),
  );
}

export function readComments(): Block[] {
  const files = new Map<string, string>();
  const open = Object.values(ENTRIES);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (files.has(path)) continue;
    const text = read(path);
    files.set(path, text);
    const imports = importGraph(new Map([[path, text]])).get(path) ?? [];
    open.push(...imports.filter((file) => file.endsWith(".ts")));
  }
  return [...files.keys()].sort().flatMap((path) => commentBlocks(path, files.get(path) ?? ""));
}

export function isProgram({ language }: Block): boolean {
  return language === "ts";
}
