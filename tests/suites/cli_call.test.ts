/** `extwire tools` and `extwire call`, as processes. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { type CommandOptions, type Ended, inTerminal, NO_TERMINAL, runCommand } from "../support/command.ts";
import { extwire, fixture } from "../support/runtime.ts";

const folder = mkdtempSync(join(tmpdir(), "extwire-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What stands after `--`. */
function extension(...args: string[]): string[] {
  const { command, args: before } = fixture("cli_extension", ...args);
  return ["--", command, ...before];
}

async function done(args: readonly string[], options?: CommandOptions): Promise<Ended> {
  const ended = await runCommand(extwire(...args), options);
  assert.equal(ended.code, 0, ended.stderr);
  return ended;
}

describe("tools", () => {
  test("through a pipe: a line a tool, name, parameters and description between tabs", async () => {
    const { stdout } = await done(["tools", ...extension()]);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    assert.deepEqual(rows[0], ["echo", "text? count? deep? tags?", "Says what it was given, as JSON"]);
    assert.deepEqual(rows[1], ["need", "url", "Needs a url"]);
    assert.ok(!stdout.includes("\x1b"));
  });

  test("--json: the whole list", async () => {
    const tools = JSON.parse((await done(["tools", "--json", ...extension()])).stdout);
    assert.equal(tools[1].name, "need");
    assert.deepEqual(tools[1].inputSchema.required, ["url"]);
    assert.equal(typeof tools[1].extension, "string");
  });

  test("on a terminal: a table that fits it", { skip: NO_TERMINAL }, async () => {
    const { code, stdout } = await inTerminal(extwire("tools", ...extension()), { columns: 60 }).ended;
    assert.equal(code, 0);
    const plain = stdout.replace(/\x1b\[[\d;?]*[a-zA-Z]/g, "");
    assert.match(plain, /echo {9}text\? count\? deep\? tags\? {2}Says what it was/);
    for (const line of plain.split(/[\r\n]+/)) assert.ok(line.length <= 60, line);
  });

  test("of an MX extension: none, and why", async () => {
    const { stdout, stderr } = await done(["tools", "demo:mx"]);
    assert.equal(stdout, "");
    assert.match(stderr, /MX extensions offer no tools/);
  });

  test("the examples are targets", async () => {
    assert.match(
      (await done(["tools", "demo:dhara"])).stdout,
      /^fetch_url\turl\tFetch a URL and extract readable content$/m,
    );
  });
});

describe("input", () => {
  const echo = async (args: readonly string[], options?: CommandOptions): Promise<unknown> =>
    JSON.parse((await done(["call", "echo", ...args, ...extension()], options)).stdout);

  test("--arg is typed by the schema", async () => {
    const args = ["--arg", "text=5", "--arg", "count=5", "--arg", "deep=true", "--arg", "tags=a", "--arg", "tags=b"];
    assert.deepEqual(await echo(args), { text: "5", count: 5, deep: true, tags: ["a", "b"] });
  });

  test("--input takes JSON, and --arg goes over it", async () => {
    assert.deepEqual(await echo(["--input", '{"text":"a","count":1}', "--arg", "count=2"]), { text: "a", count: 2 });
  });

  test("--input @file", async () => {
    const path = join(folder, "input.json");
    writeFileSync(path, '\ufeff{"text":"ü 😀"}');
    assert.deepEqual(await echo(["--input", `@${path}`]), { text: "ü 😀" });
  });

  test("--input - reads stdin", async () => {
    const input = '{"text":"from stdin"}';
    const { stdout, stderr } = await done(["call", "echo", "--input", "-", ...extension()], { input });
    assert.deepEqual(JSON.parse(stdout), { text: "from stdin" });
    // Nobody is asked to type.
    assert.equal(stderr, "");
  });
});

describe("targets", () => {
  const argv = ["", "a b", 'say "hi"', "it's", "C:\\x\\y.js", "ü", "$HOME", "--", "-x"];

  test("[D29] arguments after -- arrive as they were given", async () => {
    const { stdout } = await done(["call", "argv", ...extension(...argv)]);
    assert.deepEqual(JSON.parse(stdout), argv);
  });

  test("[D29] a manifest's array and its string both give the same arguments", async () => {
    const { command, args } = fixture("cli_extension");
    const array = join(folder, "array.json");
    writeFileSync(array, JSON.stringify({ id: "a", protocol: "dhara", command, args: [...args, ...argv] }));
    const words = [command, ...args, "a b", "", "C:\\x\\y.js"].map((word) => `'${word}'`).join(" ");
    const string = join(folder, "string.json");
    writeFileSync(string, JSON.stringify({ id: "s", protocol: "dhara", command: words }));
    assert.deepEqual(JSON.parse((await done(["call", array, "argv"])).stdout), argv);
    assert.deepEqual(JSON.parse((await done(["call", string, "argv"])).stdout), ["a b", "", "C:\\x\\y.js"]);
  });

  test("YAML, TOML, and a folder with Dhara's own manifest; the process works in the manifest's folder", async () => {
    const { command, args } = fixture("cli_extension");
    const home = join(folder, "home");
    mkdirSync(home);
    const list = JSON.stringify(args);
    writeFileSync(
      join(folder, "y.yaml"),
      `id: y\nprotocol: dhara\ncommand: ${JSON.stringify(command)}\nargs: ${list}\ncwd: home\n`,
    );
    writeFileSync(
      join(folder, "t.toml"),
      `id = "t"\nprotocol = "dhara"\ncommand = ${JSON.stringify(command)}\nargs = ${list}\ncwd = "home"\n`,
    );
    const runtime = { type: "subprocess", command: [command, ...args].map((word) => `"${word}"`).join(" ") };
    writeFileSync(join(home, "manifest.json"), JSON.stringify({ name: "own", version: "1.0.0", runtime }));
    for (const target of [join(folder, "y.yaml"), join(folder, "t.toml"), home]) {
      assert.equal((await done(["call", target, "where"])).stdout.trim(), realpathSync(home), target);
    }
    assert.equal((await done(["call", ".", "where"], { cwd: home })).stdout.trim(), realpathSync(home));
  });

  test("[D18] secrets of the shell do not reach the extension", async () => {
    const { stdout } = await done(["call", "environment", ...extension()], { env: { SECRET_TOKEN: "hunter2" } });
    assert.ok(!stdout.includes("hunter2"));
    assert.ok("PATH" in JSON.parse(stdout));
  });
});

describe("output", () => {
  test("[D-12] progress goes to stderr in order, the answer to stdout", async () => {
    const { stdout, stderr } = await done(["call", "steps", ...extension()]);
    assert.equal(stdout, "stepped\n");
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      "steps: Downloading... 50%",
      "steps: Parsing HTML...",
      "steps: Done",
    ]);
  });

  test("on a terminal progress is one line that moves", { skip: NO_TERMINAL }, async () => {
    const { code, stdout } = await inTerminal(extwire("call", "steps", ...extension())).ended;
    assert.equal(code, 0);
    assert.match(stdout, /\r\x1b\[2K\x1b\[36m.\x1b\[39m steps: Parsing HTML\.\.\./);
    assert.match(stdout, /\r\x1b\[2Kstepped\r\n/);
  });

  test("on a terminal an answer can't command it; through a pipe it is as it was", { skip: NO_TERMINAL }, async () => {
    const shown = await inTerminal(extwire("call", "escape", ...extension())).ended;
    assert.ok(shown.stdout.includes("abc") && !shown.stdout.includes("title"));
    assert.equal((await done(["call", "escape", ...extension()])).stdout, "a\x1b[2Jb\x1b]0;title\x07c\n");
  });

  test("no progress and no parameter's name commands a terminal, be it a dumb one", { skip: NO_TERMINAL }, async () => {
    for (const env of [{}, { NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const [called, refused] = await Promise.all(
        ["escape", "evil"].map((tool) => inTerminal(extwire("call", tool, ...extension()), { env }).ended),
      );
      for (const shown of [called?.stdout, refused?.stdout]) assert.doesNotMatch(shown ?? "", /\x1b\[2J|title/);
      assert.match(called?.stdout ?? "", /escape: going on/);
      assert.match(refused?.stdout ?? "", /Missing required parameter 'ab'\r\n {2}ab \(string\): going on\r\n/);
    }
  });

  test("progress and parameters are told without what commands a terminal, wherever stderr leads", async () => {
    assert.equal((await done(["call", "escape", ...extension()])).stderr, "escape: going on\n");
    const { code, stderr } = await runCommand(extwire("call", "evil", ...extension()));
    assert.equal(code, 2);
    assert.equal(stderr, "extwire: evil: Missing required parameter 'ab'\n  ab (string): going on\n");
  });

  test("[E1] a megabyte reaches a reader that comes late, as text and as JSON", async () => {
    for (const [flags, least] of [
      [[], 1_048_577],
      [["--json"], 1_048_576 + 50],
    ] as const) {
      const { command, args } = extwire("call", ...flags, "big", ...extension());
      const shell = spawn("sh", ["-c", '"$@" | (sleep 1; wc -c)', "sh", command, ...args], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let counted = "";
      for await (const chunk of shell.stdout.setEncoding("utf8")) counted += chunk;
      assert.ok(Number(counted) >= least, `${counted.trim()} bytes`);
      if (flags.length === 0) assert.equal(Number(counted), least);
    }
  });

  test("[X-06] --max-message-bytes sets how long a message may be, in either direction", async () => {
    const { stdout } = await done(["call", "big", "--max-message-bytes", "1.1MiB", ...extension()]);
    assert.equal(stdout.length, 1_048_577);
    const long = JSON.stringify({ text: "x".repeat(2_000) });
    const args = ["call", "echo", "--max-message-bytes", "1k", "--input", long, ...extension()];
    const { code, stderr } = await runCommand(extwire(...args));
    assert.match(stderr, /exceeds maxMessageBytes/);
    assert.equal(code, 1);
  });

  test("a reader that leaves early is no fault", async () => {
    const { command, args } = extwire("call", "big", ...extension());
    const shell = spawn("sh", ["-c", '{ "$@"; echo "code $?" >&2; } | head -c 10', "sh", command, ...args]);
    let stderr = "";
    shell.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    shell.stdout.resume();
    await new Promise((resolve) => shell.once("close", resolve));
    assert.equal(stderr, "code 0\n");
  });

  test("images and files through a pipe: each a line with the path where it lies", async () => {
    const { stdout } = await done(["call", "parts", ...extension()]);
    const [text, inline, picture, csv, rest] = stdout.split("\n");
    assert.equal(text, "some text");
    assert.equal(readFileSync(inline!).subarray(1, 4).toString(), "PNG");
    assert.equal(readFileSync(picture!).subarray(1, 4).toString(), "PNG");
    assert.equal(readFileSync(csv!, "utf8"), "a,b\r\n1,2\r\n");
    assert.equal(rest, "");
  });

  test("--json: the answer as the extension gave it, with --save also where things went", async () => {
    const plain = JSON.parse((await done(["call", "--json", "parts", ...extension()])).stdout);
    assert.equal(plain.isError, false);
    assert.deepEqual(
      plain.content.map(({ type }: { type: string }) => type),
      ["text", "image", "image", "file"],
    );
    const save = join(folder, "json");
    const saved = JSON.parse((await done(["call", "--json", "--save", save, "parts", ...extension()])).stdout);
    assert.equal(readFileSync(saved.content[3].savedTo, "utf8"), "a,b\r\n1,2\r\n");
  });

  test("on a terminal with colours a picture is shown", { skip: NO_TERMINAL }, async () => {
    const { stdout } = await inTerminal(extwire("call", "parts", ...extension())).ended;
    assert.match(stdout, /\x1b\[38;2;\d+;\d+;\d+;49m▀/);
    const kitty = await inTerminal(extwire("call", "parts", ...extension()), { env: { TERM: "xterm-kitty" } }).ended;
    assert.match(kitty.stdout, /\x1b_Ga=T,f=100,q=2,c=\d+,m=0;iVBOR/);
  });
});
