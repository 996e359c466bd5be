/** Everything the documents show is run: programs, terminal sessions, Python, data, bytes. */
import { before, describe, test } from "node:test";
import { isProgram, readDocuments } from "./catalog.ts";
import { Programs } from "./programs.ts";
import { nameOf, optionsOf, runBlock } from "./run_block.ts";
import { makeSandbox, type Sandbox } from "./sandbox.ts";

for (const [path, blocks] of readDocuments()) {
  const name = path.replace(/\W+/g, "_");
  describe(path, () => {
    let tools: { programs: Programs; sandbox: Sandbox };
    before(() => {
      tools = { programs: new Programs(name, blocks.filter(isProgram)), sandbox: makeSandbox(name) };
    });
    blocks.forEach((block, i) => {
      test(nameOf(block), optionsOf(block), () => runBlock(block, blocks.slice(i + 1), tools));
    });
  });
}
