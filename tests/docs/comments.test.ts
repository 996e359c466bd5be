/** The examples in doc comments are run. */
import { before, test } from "node:test";
import { isProgram, readComments } from "./catalog.ts";
import { Programs } from "./programs.ts";
import { nameOf, optionsOf, runBlock } from "./run_block.ts";
import { makeSandbox, type Sandbox } from "./sandbox.ts";

const blocks = readComments();
let tools: { programs: Programs; sandbox: Sandbox };

before(() => {
  tools = { programs: new Programs("comments", blocks.filter(isProgram)), sandbox: makeSandbox("comments") };
});

for (const block of blocks) test(nameOf(block), optionsOf(block), () => runBlock(block, [], tools));
