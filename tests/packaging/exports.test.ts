/** The package is named and divided the same for npm and for Deno, and depends on what it uses. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { specifiers } from "../../tools/architecture.ts";
import { ROOT } from "../../tools/bundle.ts";
import { readTree } from "../support/tree.ts";

type Conditions = string | Readonly<Record<string, string>>;

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, Conditions>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface DenoFile {
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
  readonly links?: readonly string[];
}

const npm = readJson<PackageFile>("package.json");
const deno = readJson<DenoFile>("deno.json");

/** A package offers its own description too; Deno's modules have no need of that. */
const NOT_A_MODULE = "./package.json";

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8")) as T;
}

test("package.json and deno.json export the same names", () => {
  const names = Object.keys(npm.exports).filter((name) => name !== NOT_A_MODULE);
  assert.deepEqual(names.sort(), Object.keys(deno.exports).sort());
  assert.equal(npm.version, deno.version);
  assert.equal(npm.license, deno.license);
});

test("each export of the one is built from the source that the other names", () => {
  for (const [name, source] of Object.entries(deno.exports)) {
    const conditions = npm.exports[name]!;
    const target = typeof conditions === "string" ? conditions : conditions["default"];
    assert.equal(target, `./dist/${source.slice(2).replace(/\.ts$/, ".js")}`);
    if (source.endsWith(".ts")) {
      const types = (conditions as Readonly<Record<string, string>>)["types"];
      assert.equal(types, target.replace(/\.js$/, ".d.ts"));
    }
  }
});

test("what is exported is there, in the source and in the build", () => {
  for (const source of Object.values(deno.exports)) assert.ok(existsSync(join(ROOT, source)), source);
  for (const conditions of Object.values(npm.exports)) {
    const targets = typeof conditions === "string" ? [conditions] : Object.values(conditions);
    for (const target of targets) assert.ok(existsSync(join(ROOT, target)), `${target}: run npm run build`);
  }
});

test("types come first among the conditions, and default last", () => {
  for (const conditions of Object.values(npm.exports)) {
    if (typeof conditions === "string") continue;
    const names = Object.keys(conditions);
    assert.equal(names[0], "types");
    assert.equal(names.at(-1), "default");
  }
});

test("Deno's second configuration is the first with the stand-in linked", () => {
  const { links, ...offline } = readJson<DenoFile>("deno.offline.json");
  assert.deepEqual(offline, deno);
  assert.deepEqual(links, ["./tools/std_streams"]);
});

test("the built modules import only their dependencies, and those all", () => {
  const used = new Set<string>();
  for (const [, text] of readTree(/^(?!extwire\.js$).*(\.js|\.d\.ts)$/, "dist")) {
    for (const specifier of specifiers(text)) {
      if (specifier.startsWith(".") || isBuiltin(specifier) || specifier.startsWith("cloudflare:")) continue;
      used.add(
        specifier
          .split("/")
          .slice(0, specifier.startsWith("@") ? 2 : 1)
          .join("/"),
      );
    }
  }
  assert.deepEqual([...used].sort(), Object.keys(npm.dependencies ?? {}).sort());
});

test("deno.json imports the same versions as package.json", () => {
  for (const [name, version] of Object.entries(npm.dependencies ?? {})) {
    assert.equal(deno.imports[name], `npm:${name}@${version}`);
  }
});
