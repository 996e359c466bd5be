/** The TypeScript that documents and doc comments show is what the compiler takes, also where it is not run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isProgram, readComments, readDocuments } from "./catalog.ts";
import { Programs } from "./programs.ts";

test("every TypeScript example type-checks", () => {
  const blocks = [...[...readDocuments().values()].flat(), ...readComments()].filter(isProgram);
  assert.deepEqual(new Programs("types", blocks).typeFaults(), []);
});
