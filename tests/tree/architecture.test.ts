/** The tree is the architecture: who may import whom, and who may name a runtime. Each rule is first shown a fault. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  cycles,
  type Files,
  importGraph,
  layerFaults,
  lengthFaults,
  pathTo,
  runtimeNames,
  specifiers,
  streamHelpers,
} from "../../tools/architecture.ts";
import { ROOT } from "../../tools/bundle.ts";
import { readTree } from "../support/tree.ts";

const MOST_LINES = 300;

/** Longer files, each with the reason why it still does one thing. */
const LONGER: Readonly<Record<string, string>> = {};

const ADAPTER = /^src\/adapters\//;

const source = readTree(/\.ts$/);
source.delete("codec/wasm_bytes.ts");
const built = existsSync(join(ROOT, "dist/mod.js")) ? readTree(/^(?!extwire\.js$).*\.js$/, "dist") : undefined;

/** Rules for what is shipped: the source, and what the compiler made of it when that is there. */
const trees: [string, Files][] = [["the source", source]];
if (built) trees.push(["the built files", built]);

function tree(files: Record<string, string>): Files {
  return new Map(Object.entries(files));
}

describe("the import graph", () => {
  test("is read with types, re-exports, dynamic imports and side effects", () => {
    const text = `import type { A } from "./a.ts"; export * from "./b.ts"; const c = await import("./c.ts"); import "./d.ts";
      type E = import("./e.ts").E; import { type F } from "./f.ts"; // import "./g.ts"`;
    assert.deepEqual(specifiers(text).sort(), ["./a.ts", "./b.ts", "./c.ts", "./d.ts", "./e.ts", "./f.ts"]);
  });

  test("an import that goes up, across or nowhere is found", () => {
    const bad = tree({
      "codec/wasm.ts": `import type { Peer } from "../src/rpc/peer.ts";`,
      "src/dhara/host.ts": `import "../mx/host.ts";`,
      "src/mx/host.ts": `import "../dhara/types.ts";`,
      "src/host/host.ts": `import "../adapters/node.ts"; import "../dhara/host.ts";`,
      "src/rpc/peer.ts": `import "../../tools/x.ts"; import "../../helpers.ts";`,
      "src/extra/x.ts": "",
    });
    assert.equal(layerFaults(importGraph(bad)).length, 7);
  });

  test("a circle is found, of types too, and of a file with itself", () => {
    const bad = tree({
      "a.ts": `import type { B } from "./b.ts";`,
      "b.ts": `import "./c.ts";`,
      "c.ts": `export type { A } from "./a.ts";`,
      "d.ts": `import "./a.ts";`,
      "e.ts": `import "./e.ts";`,
    });
    assert.deepEqual(cycles(importGraph(bad)), [["a.ts", "b.ts", "c.ts"], ["e.ts"]]);
  });

  test("a way from the library to an adapter is found", () => {
    const bad = tree({
      "mod.ts": `export * from "./src/host/host.ts";`,
      "src/host/host.ts": `const later = () => import("../adapters/node.ts");`,
      "src/adapters/node.ts": "",
    });
    assert.deepEqual(pathTo(importGraph(bad), "mod.ts", ADAPTER), [
      "mod.ts",
      "src/host/host.ts",
      "src/adapters/node.ts",
    ]);
    assert.equal(pathTo(importGraph(bad), "src/adapters/node.ts", /^cli/), undefined);
  });

  for (const [name, files] of trees) {
    test(`in ${name} imports only go down`, () => {
      assert.deepEqual(layerFaults(importGraph(files)), []);
    });
    test(`in ${name} there is no circle`, () => {
      assert.deepEqual(cycles(importGraph(files)), []);
    });
    test(`in ${name} the library reaches no adapter`, () => {
      const graph = importGraph(files);
      for (const start of ["mod.ts", "mod.js"]) assert.equal(pathTo(graph, start, ADAPTER), undefined);
    });
  }
});

describe("names of one runtime", () => {
  test("are found as modules, as globals and behind globalThis, and not as members or in comments", () => {
    const text = `import { readFile } from "node:fs/promises"; import { connect } from "cloudflare:sockets";
      // process is fine here, and so is "Deno"
      const a = process.env, c = globalThis.Deno, d = (globalThis as any)["Bun"], { Buffer } = globalThis;
      child.process.kill(); type F = { process: number }; class G { process = 1; }`;
    const own = `function stop({ process }: Child, Deno = 1) { const Bun = process.pid; return Bun + Deno; }`;
    const named = runtimeNames(tree({ "src/rpc/peer.ts": text })).map((fault) => fault.replace(/^.* /, ""));
    assert.deepEqual(named, ["node:fs/promises", "cloudflare:sockets", "process", "Deno", "Bun", "Buffer"]);
    assert.deepEqual(runtimeNames(tree({ "src/rpc/peer.ts": own })), []);
    assert.deepEqual(runtimeNames(tree({ "src/adapters/node.ts": text, "cli.ts": text, "tools/x.ts": text })), []);
  });

  for (const [name, files] of trees) {
    test(`stand in ${name} only where they may`, () => {
      assert.deepEqual(runtimeNames(files), []);
    });
  }
});

describe("helpers for streams", () => {
  test("are found on the way of messages, from either registry, and not beside it", () => {
    const text = `import { toText } from "@std/streams";`;
    const bad = tree({
      "codec/streams.ts": text,
      "src/rpc/x.ts": `import "jsr:@std/streams@^1.1/to-text";`,
      "mod.ts": text,
    });
    assert.deepEqual(streamHelpers(bad), ["codec/streams.ts", "src/rpc/x.ts", "mod.ts"]);
    assert.deepEqual(streamHelpers(tree({ "src/cli/x.ts": text, "examples/x.ts": text, "src/mx/x.ts": "" })), []);
  });

  for (const [name, files] of trees) {
    test(`stand in ${name} only off the way of messages`, () => {
      assert.deepEqual(streamHelpers(files), []);
    });
  }
});

describe("the length of files", () => {
  test("a file too long is found, and an excuse that is needed no more", () => {
    const bad = tree({ "a.ts": "x\n".repeat(301), "b.ts": "x\n".repeat(300), "c.ts": "x\n".repeat(400) });
    assert.equal(lengthFaults(bad, MOST_LINES, { "c.ts": "a table" }).length, 1);
    assert.equal(lengthFaults(bad, MOST_LINES, { "a.ts": "…", "b.ts": "…", "c.ts": "…" }).length, 1);
  });

  test("no file of the source is too long", () => {
    assert.deepEqual(lengthFaults(source, MOST_LINES, LONGER), []);
  });
});
