/** Where `extwire call --save` puts the pictures and files of an answer, and what is said where it cannot. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Ended, NO_PROC, runCommand } from "../support/command.ts";
import { extwire, fixture } from "../support/runtime.ts";

const folder = mkdtempSync(join(tmpdir(), "extwire-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const { command, args } = fixture("cli_extension");
const extension = ["--", command, ...args];

/** An extension with one tool, which answers with `content`. */
function answering(name: string, content: readonly object[]): string[] {
  const said = (result: object) => [JSON.stringify({ jsonrpc: "2.0", id: "ID", result })];
  const tools = [{ name, description: "", inputSchema: { type: "object" } }];
  const initialize = said({ name: "x", version: "1", tools });
  const on = { initialize, [`tools/execute ${name}`]: said({ content }) };
  const { command, args } = fixture("dhara_script", JSON.stringify({ on }));
  return ["--", command, ...args];
}

async function done(args: readonly string[]): Promise<Ended> {
  const ended = await runCommand(extwire(...args));
  assert.equal(ended.code, 0, ended.stderr);
  return ended;
}

test("--save puts them into a folder, and over nothing that is there", async () => {
  const save = join(folder, "saved", "deep");
  for (const count of [3, 6]) {
    const { stdout } = await done(["call", "parts", "--save", save, ...extension]);
    for (const path of stdout.trimEnd().split("\n").slice(1)) assert.ok(path.startsWith(save), path);
    assert.equal(readdirSync(save).length, count);
  }
  assert.deepEqual(
    readdirSync(save)
      .filter((name) => name.startsWith("parts"))
      .sort(),
    ["parts-2.png", "parts.png"],
  );
});

test("--save: a relative folder is named in full, and a long name is cut", async () => {
  const name = "t".repeat(300);
  const line = [
    "call",
    name,
    "--save",
    "relative",
    ...answering(name, [{ type: "image", data: "AAAA", mimeType: "image/png" }]),
  ];
  const { code, stdout, stderr } = await runCommand(extwire(...line), { cwd: folder });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, `${join(realpathSync(folder), "relative", `${"t".repeat(100)}.png`)}\n`);
});

test("--save where no folder can be made says so", { skip: NO_PROC }, async () => {
  const file = join(folder, "a-file");
  writeFileSync(file, "");
  // Below /proc a runtime's own way to make several folders may never end.
  for (const save of ["/proc/1/none/deep", join(file, "below"), file]) {
    const ran = join(folder, "ran");
    const program = ["--", "sh", "-c", `touch ${ran}`];
    const { code, stderr } = await runCommand(extwire("call", "parts", "--save", save, ...program), {
      cwd: folder,
    });
    assert.equal(code, 2);
    assert.match(stderr, /^extwire: the folder of --save \S+ cannot be created: E\w+: .*; name another one$/m);
    assert.equal(existsSync(ran), false, "the tool's answer would have had no place");
  }
});

test("--save: no name of a tool or a file leads out of the folder, nor hides in it", async () => {
  const hidden = join(folder, ".a b");
  writeFileSync(hidden, "x");
  const name = "../../t ü";
  const content = [
    { type: "image", data: "AAAA", mimeType: "image/svg+xml; charset=utf-8" },
    { type: "image", data: "AAAA", mimeType: "../../x" },
    { type: "file", path: hidden, size: 1, mimeType: "text/plain" },
  ];
  const save = join(folder, "safe");
  const { stdout } = await done(["call", name, "--save", save, ...answering(name, content)]);
  const names = ["_.._t_ü.svg", "_.._t_ü.bin", "a_b"];
  assert.deepEqual(
    stdout.trimEnd().split("\n"),
    names.map((each) => join(save, each)),
  );
  assert.deepEqual(readdirSync(save).sort(), [...names].sort());
});

test("--save where nothing can be written says so", { skip: NO_PROC }, async () => {
  const { code, stderr } = await runCommand(extwire("call", "picture", "--save", "/proc/self", ...extension));
  assert.match(stderr, /^extwire: the result of picture cannot be saved: .*; name another folder with --save$/m);
  assert.equal(code, 2);
});

test("--save with nothing in it is no folder", async () => {
  const { code, stderr } = await runCommand(extwire("call", "parts", "--save", "", ...extension), { cwd: folder });
  assert.equal(code, 2);
  assert.match(stderr, /^extwire: --save is empty; perhaps a variable is not set$/m);
});

test("without --save and without a folder for temporary files there is no place either", async () => {
  const nowhere = join(folder, "no such folder");
  const env = { TMPDIR: nowhere, TMP: nowhere, TEMP: nowhere };
  for (const line of [["call", "picture", ...extension], ["demo"]]) {
    const { code, stderr } = await runCommand(extwire(...line), { cwd: folder, env });
    assert.match(
      stderr,
      /^extwire: no folder for temporary files: .*no such folder.*name a folder with --save, or set TMPDIR/m,
    );
    assert.doesNotMatch(stderr, /^\s+at /m);
    assert.equal(code, 2, stderr);
  }
});
