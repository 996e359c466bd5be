/** Every way to go wrong has one clear message and its exit code; nothing on stdout, no stack trace. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { runCommand } from "../support/command.ts";
import { extwire, fixture, RUNTIME } from "../support/runtime.ts";

const folder = mkdtempSync(join(tmpdir(), "extwire-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const NO_DELETED_FOLDER =
  process.platform === "win32"
    ? "Windows deletes no folder that somebody works in"
    : RUNTIME === "deno" && !process.env["EXTWIRE_BINARY"] && "Deno itself does not start in a folder that is gone";

const NO_FULL_DISK = !existsSync("/dev/full") && "a full disk is played by Linux's /dev/full";

const { command, args } = fixture("cli_extension");
const extension = ["--", command, ...args];
const empty = join(folder, "empty");
mkdirSync(empty);

const wrong: readonly [title: string, args: readonly string[], message: RegExp][] = [
  ["an unknown command", ["tolls"], /there is no command "tolls"; did you mean tools\?/],
  ["an unknown command that resembles none", ["bogus"], /there is no command "bogus"; extwire --help lists them/],
  ["a flag in a command's form", ["version"], /there is no command "version"; extwire --version prints it/],
  [
    "an unknown example",
    ["extension", "dara"],
    /^extwire: there is no command "extension dara"; did you mean extension dhara\?$/m,
  ],
  [
    "an unknown example that resembles none",
    ["extension", "version"],
    /there is no command "extension version"; extwire extension --help lists them/,
  ],
  [
    "neither TARGET nor TOOL",
    ["call"],
    /^extwire: which tool of which extension\? Write extwire call TARGET TOOL, or /,
  ],
  ["a command and no TOOL", ["call", ...extension], /which tool of which extension\?.* extwire call TOOL -- COMMAND/],
  ["no SHELL", ["completion"], /^extwire: for which shell\? Write extwire completion bash, /],
  ["an empty TARGET", ["tools", ""], /^extwire: the TARGET is empty; /],
  ["a tool of an MX extension", ["call", "demo:mx", "x"], /^extwire: screen-watch speaks MX, which has no tools/],
  ["an unknown flag", ["tools", "--jsn", "demo:dhara"], /--jsn here; did you mean --json\?/],
  ["no TARGET", ["tools"], /which extension\?/],
  ["no TOOL", ["call", "demo:dhara"], /which tool\?.*extwire tools demo:dhara lists them/],
  [
    "a TOOL alone",
    ["call", "echo"],
    /if echo is the tool, write extwire call TARGET echo, or extwire call echo -- COMMAND/,
  ],
  [
    "a TARGET that is not there",
    ["tools", "no/such/place"],
    /there is no file or folder no\/such\/place.*put -- before it/,
  ],
  ["a manifest that is not there", ["run", "--config", "nowhere.yaml"], /there is no file nowhere\.yaml$/m],
  ["an example that is not there", ["tools", "demo:dara"], /there is no demo:dara; did you mean demo:dhara\?/],
  ["a program in the place of a manifest", ["tools", put("main.py", "")], /main\.py is not a manifest.*-- python3 /],
  [
    "a program whose name has a space",
    ["tools", put("my main.py", "")],
    /my main\.py is not a manifest .*: -- python3 "\S*my main\.py"$/m,
  ],
  [
    "a TARGET that has a space and no TOOL",
    ["call", "my tools"],
    /Write extwire call "my tools" TOOL, and extwire tools "my tools" lists/,
  ],
  ["a folder without a manifest", ["tools", empty], /holds no manifest \(manifest\.json/],
  [
    "a TARGET, a TOOL and a command, or an input without its flag",
    ["call", "echo", "text=hi", ...extension],
    /^extwire: where a command follows --, only the TOOL stands before it, not "echo" and "text=hi"; an input is --arg NAME=VALUE\n/,
  ],
  [
    "a TARGET and a command",
    ["tools", "demo:dhara", ...extension],
    /give either a TARGET \("demo:dhara"\) or a command after --, not both/,
  ],
  ["nothing after --", ["tools", "--"], /after -- comes the command/],
  ["a protocol that does not exist", ["tools", "--protocol", "mcp", ...extension], /dhara/],
  ["a protocol for a manifest", ["tools", "--protocol", "mx", "demo:mx"], /--protocol belongs to a command after --/],
  ["a duration that is none", ["call", "--timeout", "soon", "echo", ...extension], /"soon" is not a duration/],
  [
    "a size that is none",
    ["run", "--max-message-bytes", "much", ...extension],
    /"much" is not a size; write 64MiB, 500kB or 1048576/,
  ],
  ["JSON that is none", ["tools", put("bad.json", '{\n  "id": "a",\n  "protocol" "dhara"\n}')], /bad\.json:3:/],
  ["YAML that is none", ["tools", put("bad.yaml", "id: a\nargs: [1\n")], /bad\.yaml:\d+:/],
  ["TOML that is none", ["tools", put("bad.toml", 'id = "a\n')], /bad\.toml:1:/],
  [
    "a wrong field, with its line",
    ["tools", put("field.yaml", "id: a\nprotocol: dara\ncommand: x\n")],
    /field\.yaml:2:\d+: protocol must be/,
  ],
  [
    "a misspelt field",
    ["tools", put("typo.json", '{"id":"a","protocol":"dhara","comand":"x"}')],
    /comand.*did you mean command\?/,
  ],
  [
    "run with a config that names no extension",
    ["run", "--config", put("none.json", '{"extensions":{}}')],
    /none\.json: "extensions" is empty; list at least one/,
  ],
  [
    "several extensions where one is meant",
    [
      "tools",
      put("two.json", '{"extensions":{"a":{"protocol":"dhara","command":"x"},"b":{"protocol":"mx","command":"y"}}}'),
    ],
    /holds 2 extensions \(a, b\)/,
  ],
  ["an unknown tool", ["call", "ehco", ...extension], /ehco.*[Dd]id you mean '?"?echo/],
  ["--input that is no JSON", ["call", "echo", "--input", "{a}", ...extension], /--input is not JSON/],
  ["--input that is no object", ["call", "echo", "--input", "[1]", ...extension], /--input must be a JSON object/],
  [
    "--input from a file that is not there",
    ["call", "echo", "--input", "@nowhere.json", ...extension],
    /nowhere\.json cannot be read/,
  ],
  [
    "--arg of a wrong type",
    ["call", "echo", "--arg", "count=many", ...extension],
    /--arg count takes a whole number, not "many"/,
  ],
  [
    "--arg that the tool does not take",
    ["call", "echo", "--arg", "txet=a", ...extension],
    /has no parameter "txet"; did you mean "text"\?/,
  ],
  ["[X-17] input without a required field", ["call", "need", ...extension], /need: Missing required parameter 'url'/],
  ["[X-17] input out of bounds", ["call", "echo", "--arg", "count=0", ...extension], /'count'/],
  [
    "run with two sources",
    ["run", "--config", "x.yaml", "demo:mx"],
    /give only one of --config, a TARGET and a command after --/,
  ],
  ["run with nothing to run", ["run"], /there is no extwire\.yaml, extwire\.toml, extwire\.json here/],
  ["a shell without completion", ["completion", "tcsh"], /completion takes bash, zsh or fish, not "tcsh"/],
];

describe("wrong usage exits with 2", () => {
  for (const [title, line, message] of wrong) {
    test(title, async () => {
      const { code, stdout, stderr } = await runCommand(extwire(...line), { cwd: empty });
      assert.match(stderr, message);
      assert.equal(stdout, "");
      assert.equal(code, 2, stderr);
      assert.doesNotMatch(stderr, /^\s+at /m);
    });
  }
});

const failing: readonly [title: string, args: readonly string[], code: number, message: RegExp][] = [
  ["1: a tool that says it failed", ["call", "fail", ...extension], 1, /fail failed: no such page/],
  [
    "1: [D-11] an error that the extension answers",
    ["call", "refuse", ...extension],
    1,
    /error -32050: quota is used up\n.*"left":0/,
  ],
  [
    "1: [X-19] an extension that dies in the call, with its last words",
    ["call", "crash", ...extension],
    1,
    /exited with code 7[\s\S]*it hurts/,
  ],
  [
    "1: a file that the tool names and nobody can copy",
    ["call", "ghost", "--save", join(folder, "saved"), ...extension],
    1,
    /ghost named the file "\/no\/such\/\\u001b\[31mfile\.csv", which cannot be copied: /,
  ],
  [
    "1: [X-06] an answer that is longer than --max-message-bytes",
    ["call", "big", "--max-message-bytes", "1MiB", ...extension],
    1,
    /exceeds maxMessageBytes \(1048576 bytes\).*raise maxMessageBytes/,
  ],
  [
    "1: [D-15] an image that is no base64 is not saved as one",
    ["call", "smudge", ...extension],
    1,
    /smudge returned an image whose data is not base64: unexpected "\*" at character 4/,
  ],
  ["3: a command that is not there", ["tools", "--", "no-such-command-here"], 3, /no-such-command-here/],
  [
    "3: [D4] a command that ends at once, with its stderr",
    ["tools", "--", "sh", "-c", "echo broken pipe dream >&2; exit 9"],
    3,
    /code 9[\s\S]*broken pipe dream/,
  ],
  [
    "3: a program given as text, which is not taken for the name of a file",
    ["tools", "--", "python3", "-c", "import sys; sys.exit(4)"],
    3,
    /extension 'python3' .*code 4/,
  ],
  ["3: a command that ends at once without a word", ["tools", "--", "true"], 3, /code 0/],
  [
    "3: an MX extension by hand",
    ["extension", "mx"],
    3,
    /^extwire: MX_EXTENSION_HOST is not in the environment: .*\n$/,
  ],
  [
    "3: an MX extension that never dials",
    ["tools", put("mute.json", '{"id":"mute","protocol":"mx","command":["sleep","60"],"startTimeoutMs":300}')],
    3,
    /host\.v1\.hello/,
  ],
  [
    "4: [D-13] a call without an answer",
    ["call", "hang", "--timeout", "300ms", ...extension],
    4,
    /300 ms|0\.3 s|in time/,
  ],
];

describe("failures exit with", () => {
  for (const [title, line, code, message] of failing) {
    test(title, async () => {
      const ended = await runCommand(extwire(...line), { cwd: empty });
      assert.match(ended.stderr, message);
      assert.equal(ended.stdout, "");
      assert.equal(ended.code, code, ended.stderr);
      assert.doesNotMatch(ended.stderr, /^\s+at /m);
    });
  }

  test("1: a full disk behind stdout", { skip: NO_FULL_DISK }, async () => {
    for (const line of [
      ["tools", ...extension],
      ["run", "--json", ...extension],
    ]) {
      const { command, args } = extwire(...line);
      const full = { command: "sh", args: ["-c", 'exec "$@" > /dev/full', "sh", command, ...args] };
      const { code, stderr } = await runCommand(full, { cwd: empty });
      assert.match(
        stderr,
        /cannot write to stdout: .*[Nn]o space left on device.*; free disk space, or redirect the output/,
      );
      assert.doesNotMatch(stderr, /^\s+at /m);
      assert.equal(code, 1, stderr);
    }
  });

  test("3: a folder that was deleted under the program", { skip: NO_DELETED_FOLDER }, async () => {
    const gone = mkdtempSync(join(folder, "gone-"));
    const { command, args } = extwire("tools", ...extension);
    const script = 'rmdir "$PWD" && exec "$@"';
    const { code, stderr } = await runCommand(
      { command: "sh", args: ["-c", script, "sh", command, ...args] },
      { cwd: gone },
    );
    // The runtime in the executable looks for its folder itself, before the program has begun, and ends with words of its own.
    if (process.env["EXTWIRE_BINARY"] && stderr.startsWith("error: The current working directory was deleted")) return;
    assert.match(stderr, /the folder that this program works in does not exist any more .*; start it in one that does/);
    assert.doesNotMatch(stderr, /^\s+at /m);
    assert.equal(code, 3, stderr);
  });

  test("the last words of an extension stand in the message once", async () => {
    const { stderr } = await runCommand(extwire("call", "crash", ...extension));
    assert.equal(stderr.split("it hurts").length, 2, stderr);
  });
});

test("help and version exit with 0", async () => {
  for (const line of [[], ["--help"], ["help"], ["help", "call"], ["call", "--help"], ["run", "-h"], ["--version"]]) {
    const { code, stdout, stderr } = await runCommand(extwire(...line));
    assert.equal(code, 0, line.join(" "));
    assert.equal(stderr, "");
    assert.notEqual(stdout, "");
  }
});
