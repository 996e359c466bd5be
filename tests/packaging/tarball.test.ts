/** The package as npm would publish it, installed into an empty project and used from everywhere it is for. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { type BuildOptions, build } from "esbuild";
import { ROOT } from "../../tools/bundle.ts";
import { PATIENCE_MS, startChromium } from "../../tools/test/chromium.ts";
import { serveStatic } from "../../tools/test/web_server.ts";
import { startWorker } from "../support/workerd.ts";

const BIN = join(ROOT, "node_modules/.bin");

const execute = promisify(execFile);

/** What `portable.mjs` answers, but for the codec that it found. */
const ANSWER = { sum: "5", screen: { width: 32, height: 16, bytes: 32 * 16 * 4 } };

describe("the packed package", () => {
  let project: string;
  let tarball: string;

  before(async () => {
    project = mkdtempSync(join(tmpdir(), "extwire-consumer-"));
    const { stdout } = await execute("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", project], {
      cwd: ROOT,
    });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    tarball = join(project, filename);
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
    await execute("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", tarball], { cwd: project });
    cpSync(join(ROOT, "tests/packaging/consumer"), project, { recursive: true });
  });

  after(() => rmSync(project, { recursive: true, force: true }));

  async function run(command: string, ...args: string[]): Promise<string> {
    return (await execute(command, args, { cwd: project })).stdout;
  }

  async function bundle(entry: string, options: BuildOptions): Promise<string> {
    const { outputFiles } = await build({
      absWorkingDir: project,
      entryPoints: [join(project, entry)],
      bundle: true,
      write: false,
      format: "esm",
      logLevel: "error",
      ...options,
    });
    return outputFiles![0]!.text;
  }

  for (const [name, runtime] of [
    ["Node", [process.execPath]],
    ["Deno", [join(BIN, "deno"), "run", "--allow-all"]],
    ["Bun", [join(BIN, "bun")]],
  ] as const) {
    test(`hosts an extension on ${name}, both ends from the package`, async () => {
      const [command, ...before] = runtime;
      const output = await run(command, ...before, "host.mjs", command, ...before, "extension.mjs");
      assert.deepEqual(JSON.parse(output), {
        tools: ["greeter/greet"],
        told: ["thinking"],
        content: [{ type: "text", text: "Hello, Ada" }],
      });
    });
  }

  test("says which permission Deno does not give, to a host and to an extension", async () => {
    const deno = join(BIN, "deno");
    const dial = "import { connect } from 'extwire/node'; await connect({ environment: JSON.parse(Deno.args[0]) });";
    writeFileSync(join(project, "dial.mjs"), dial);
    const variables = { MX_EXTENSION_HOST: "127.0.0.1:9", MX_EXTENSION_TOKEN: "t", MX_EXTENSION_ID: "x" };
    const mx = JSON.stringify({ ...variables, MX_EXTENSION_PROTOCOL: "1" });
    for (const [given, args, told] of [
      [
        ["--allow-run"],
        ["host.mjs", deno, "extension.mjs"],
        /could not be read: Deno does not permit it: .*--allow-env/,
      ],
      [
        ["--allow-env"],
        ["host.mjs", deno, "extension.mjs"],
        /could not be started: Deno does not permit it: .*--allow-run/,
      ],
      [
        ["--allow-env"],
        ["dial.mjs", mx],
        /127\.0\.0\.1:9 could not be reached: Deno does not permit it: .*--allow-net/,
      ],
    ] as const) {
      const failed = await run(deno, "run", "--no-prompt", ...given, ...args).then(
        (output) => assert.fail(`it went well: ${output}`),
        (error: { stderr: string }) => error,
      );
      assert.match(failed.stderr, told);
      assert.doesNotMatch(failed.stderr, /did not complete its handshake|no host listens/);
    }
  });

  test("works in workerd, where its WebAssembly comes as a module", async () => {
    // As a bundler for workers does it: the file that is imported must be there.
    const { outputFiles, warnings } = await build({
      absWorkingDir: project,
      entryPoints: [join(project, "worker.mjs")],
      bundle: true,
      write: false,
      format: "esm",
      logLevel: "silent",
      conditions: ["workerd", "worker"],
      loader: { ".wasm": "copy" },
      assetNames: "[name]",
      outdir: join(project, "worker"),
    });
    assert.deepEqual(warnings, []);
    const [wasm, code] = [".wasm", ".js"].map((end) => outputFiles.find(({ path }) => path.endsWith(end)));
    assert.deepEqual(wasm?.contents, new Uint8Array(readFileSync(join(ROOT, "codec/codec.wasm"))));
    const worker = startWorker(code!.text.replace('from "./codec.wasm"', 'from "codec.wasm"'));
    try {
      const answer = await (await worker.dispatchFetch("http://localhost/")).json();
      assert.deepEqual(answer, { ...ANSWER, codec: "wasm" });
    } finally {
      await worker.dispose();
    }
  });

  test("works in a browser's bundle, which holds nothing of Node", async () => {
    const code = await bundle("portable.mjs", { platform: "browser", minify: true });
    const page = `<!doctype html><script type="module">import { tryAll } from "/bundle.js"; globalThis.answer = await tryAll();</script>`;
    await using server = await serveStatic({
      "/": { type: "text/html", body: page },
      "/bundle.js": { type: "text/javascript", body: code },
    });
    const browser = await startChromium();
    try {
      const tab = await browser.newPage();
      tab.setDefaultTimeout(PATIENCE_MS);
      await tab.goto(server.url);
      await tab.waitForFunction("globalThis.answer !== undefined");
      assert.deepEqual(JSON.parse(await tab.evaluate<string>("JSON.stringify(globalThis.answer)")), {
        ...ANSWER,
        codec: "wasm",
      });
    } finally {
      await browser.close();
    }
  });

  test("offers the WebAssembly itself", async () => {
    const code = `import { readFileSync } from "node:fs"; import { fileURLToPath } from "node:url";
      const bytes = readFileSync(fileURLToPath(import.meta.resolve("extwire/codec.wasm")));
      console.log(WebAssembly.Module.exports(new WebAssembly.Module(bytes)).length > 0);`;
    assert.equal(await run(process.execPath, "--input-type=module", "--eval", code), "true\n");
  });

  test("has types that a strict project compiles with, whichever way it resolves modules", async () => {
    const strict = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true };
    const lib = ["es2023", "esnext.disposable", "dom", "dom.asynciterable"];
    // The validator's own declarations take a compiler half a minute: they are its authors' to check.
    const common = { target: "es2022", lib, skipLibCheck: true, allowImportingTsExtensions: true };
    const forNode = { types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] };
    for (const [file, kind] of [
      ["types.ts", { types: [], module: "nodenext", moduleResolution: "nodenext" }],
      ["types.ts", { types: [], module: "preserve", moduleResolution: "bundler" }],
      ["types_node.ts", { ...forNode, module: "nodenext", moduleResolution: "nodenext" }],
    ] as const) {
      const compilerOptions = { ...strict, ...common, ...kind };
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
      await execute(join(BIN, "tsc"), ["-p", "."], { cwd: project }).catch((error: unknown) => {
        assert.fail((error as { stdout: string }).stdout);
      });
    }
  });

  test("has declarations that hold without skipLibCheck, with the types of one runtime alone", async () => {
    // The validator's own are its authors' to check, and take half a minute.
    writeFileSync(join(project, "typebox.d.ts"), "export type Static<T> = T;");
    const stands = { paths: { typebox: ["./typebox.d.ts"] }, typeRoots: [join(ROOT, "node_modules/@types")] };
    const all = ["mod", "src/adapters/node", "src/host/manifest_file"];
    for (const [names, kind] of [
      [all, { types: ["node"], lib: ["es2022"] }],
      [["mod"], { types: [], lib: ["es2022", "dom"] }],
      [["mod", "src/adapters/workerd"], { types: [], lib: ["es2022", "webworker"] }],
    ] as const) {
      const compilerOptions = { ...stands, ...kind, strict: true, noEmit: true, target: "es2022", module: "nodenext" };
      const files = names.map((name) => `node_modules/extwire/dist/${name}.d.ts`);
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
      await execute(join(BIN, "tsc"), ["-p", "."], { cwd: project }).catch((error: unknown) => {
        assert.fail((error as { stdout: string }).stdout);
      });
    }
  });

  test("passes publint and attw", async () => {
    await execute(join(BIN, "publint"), ["run", tarball, "--strict"], { cwd: project });
    const left = ["--exclude-entrypoints", "codec.wasm", "package.json"];
    await execute(join(BIN, "attw"), [tarball, "--profile", "esm-only", ...left], { cwd: ROOT });
  });

  test("holds its modules, its licence and its program, and nothing else of ours", async () => {
    const { stdout } = await execute("tar", ["-tzf", tarball]);
    const files = stdout.trim().split("\n");
    for (const wanted of [
      "package.json",
      "LICENSE",
      "README.md",
      "dist/mod.js",
      "dist/extwire.js",
      "dist/codec/codec.wasm",
    ]) {
      assert.ok(files.includes(`package/${wanted}`), wanted);
    }
    const stray = files.filter(
      (file) => !/^package\/(dist\/|package\.json$|LICENSE$|README\.md$|CHANGELOG\.md$)/.test(file),
    );
    assert.deepEqual(stray, []);
    assert.deepEqual(
      files.filter((file) => /(^|\/)extwire(-|\.exe|$)|SHA256SUMS/.test(file)),
      [],
    );
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    assert.equal((await run(join(project, "node_modules/.bin/extwire"), "--version")).trim(), version);
  });
});
