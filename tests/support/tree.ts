/** The files of this project as text, for tests that look at the tree itself. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../tools/bundle.ts";

const ELSEWHERE = /(^|\/)(node_modules|\.build|\.git|dist|coverage|assembly)(\/|$)/;

/** Every file below `folder` whose path from there matches, by that path. */
export function readTree(matching: RegExp, folder = ""): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (below: string) => {
    for (const entry of readdirSync(join(ROOT, folder, below), { withFileTypes: true })) {
      const path = below ? `${below}/${entry.name}` : entry.name;
      if (ELSEWHERE.test(path)) continue;
      if (entry.isDirectory()) walk(path);
      else if (matching.test(path)) files.set(path, readFileSync(join(ROOT, folder, path), "utf8"));
    }
  };
  walk("");
  return files;
}
