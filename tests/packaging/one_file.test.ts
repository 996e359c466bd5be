/** `dist/extwire.js`, the whole command line in one file, on each runtime and from a web server. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { specifiers } from "../../tools/architecture.ts";
import { ROOT } from "../../tools/bundle.ts";
import { serveStatic } from "../../tools/test/web_server.ts";
import { assertWholeDemo } from "../support/demo.ts";

const BIN = join(ROOT, "node_modules/.bin");
const FILE = join(ROOT, "dist/extwire.js");

const execute = promisify(execFile);

describe("the one file", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "extwire-one-file-"));
    copyFileSync(FILE, join(folder, "extwire.js"));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [name, command] of [
    ["Node", [process.execPath, "extwire.js"]],
    ["Deno", [join(BIN, "deno"), "run", "--allow-all", "extwire.js"]],
    ["Bun", [join(BIN, "bun"), "extwire.js"]],
    ["its first line", ["./extwire.js"]],
  ] as const) {
    test(`runs the demo by ${name}`, async () => {
      const [program, ...args] = command;
      const { stdout } = await execute(program, [...args, "demo"], { cwd: folder });
      assertWholeDemo(stdout);
    });
  }

  test("runs the demo on Deno from a web server, with the permissions that the README lists", async () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const listed = /deno run ((?:--allow-\S+ )+)http\S*\/extwire\.js demo/.exec(readme)?.[1];
    assert.ok(listed, "the README shows the command");
    await using server = await serveStatic({ "/extwire.js": { type: "text/javascript", body: readFileSync(FILE) } });
    const args = ["run", "--no-prompt", ...listed.trim().split(" "), `${server.url}/extwire.js`, "demo"];
    // "deno" in a permission is the one on the PATH: the program itself, or a link to it.
    for (const [kind, deno] of [
      ["program", realpathSync(join(BIN, "deno"))],
      ["link", join(BIN, "deno")],
    ] as const) {
      const environment = {
        PATH: `${dirname(deno)}:${process.env["PATH"]}`,
        HOME: folder,
        DENO_DIR: join(folder, `deno-${kind}`),
      };
      const { stdout } = await execute(deno, args, { cwd: folder, env: environment });
      assertWholeDemo(stdout);
    }
  });

  test("says in one line which permission Deno does not give", async () => {
    const cases: readonly [permissions: string[], args: string[], code: number, message: RegExp][] = [
      [[], ["--version"], 2, /^extwire: Deno does not permit it: .*--allow-env/],
      [[], ["tools", "--json", "."], 2, /^extwire: Deno does not permit it: .*--allow-env/],
      [[], ["extension", "mx"], 2, /^extwire: Deno does not permit it: .*MX_EXTENSION_HOST.*--allow-env/],
      [["--allow-env"], ["tools", "."], 2, /^extwire: \. cannot be read: .*--allow-read/],
      [
        ["--allow-env"],
        ["tools", "--", "true"],
        3,
        /true could not be started: Deno does not permit it: .*--allow-run/,
      ],
      [["--allow-env", "--allow-run"], ["tools", "--", "no-such-command"], 3, /there is no command no-such-command/],
      [
        ["--allow-env"],
        ["tools", "--protocol", "mx", "--", "true"],
        3,
        /permit it; run it again with --allow-net=127\.0\.0\.1$/,
      ],
      [
        ["--allow-env", "--allow-read", "--allow-write"],
        ["demo"],
        2,
        /page on 127\.0\.0\.1: .*--allow-net=127\.0\.0\.1$/,
      ],
    ];
    for (const [permissions, args, code, message] of cases) {
      const deno = execute(join(BIN, "deno"), ["run", "--no-prompt", ...permissions, "extwire.js", ...args], {
        cwd: folder,
      });
      const failed = await deno.then(
        ({ stdout }) => assert.fail(`${args.join(" ")} went well: ${stdout}`),
        (error: { code: number; stdout: string; stderr: string }) => error,
      );
      const [line = "", ...more] = failed.stderr.trimEnd().split("\n");
      assert.match(line, message);
      assert.deepEqual([failed.code, more], [code, []]);
      const told = JSON.stringify({ error: { code: "usage", message: line.slice("extwire: ".length) } });
      assert.equal(failed.stdout, args.includes("--json") ? `${told}\n` : "");
    }
  });

  test("says why the plain codec has to do where there is no WebAssembly", async () => {
    const args = ["--jitless", "--no-expose-wasm", "extwire.js", "run", "demo:mx", "--json"];
    const host = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    const exited = once(host, "exit");
    const told: Record<string, unknown>[] = [];
    for await (const line of createInterface({ input: host.stdout })) {
      const event = JSON.parse(line) as Record<string, unknown>;
      if (event["type"] === "diagnostic") told.push(event);
      if (event["state"] === "ready") host.kill("SIGINT");
    }
    assert.deepEqual(await exited, [130, null]);
    assert.deepEqual(
      told.map(({ code }) => code),
      ["plain-codec"],
    );
    assert.match(String(told[0]?.["message"]), /so the plain one is used: ReferenceError/);
  });

  test("imports nothing but what runtimes bring", () => {
    const imported = specifiers(readFileSync(FILE, "utf8"));
    assert.deepEqual(
      imported.filter((specifier) => !specifier.startsWith("node:")),
      [],
    );
  });
});
