/** `extwire demo`: the whole job in one command. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { decodePng } from "../../src/cli/png_decode.ts";
import { textWidth } from "../../src/cli/text_width.ts";
import { inTerminal, NO_PROC, NO_TERMINAL, processesIn, runCommand } from "../support/command.ts";
import { extwire } from "../support/runtime.ts";

const folder = mkdtempSync(join(tmpdir(), "extwire-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** In this order. */
const STORY = [
  /^ {2}web-tools +◌ starting$/m,
  /^ {2}web-tools +● ready/m,
  /^Tools$/m,
  /^ {2}fetch_url +url +Fetch a URL/m,
  /^fetch_url url=http:\/\/127\.0\.0\.1:\d+\/$/m,
  /^ {2}⋯ Downloading\.\.\. 50%$/m,
  /^ {2}⋯ Parsing HTML\.\.\.$/m,
  /^ {2}⋯ Done$/m,
  /^ {2}│ # The postcard and the parcel$/m,
  /^count_words text=/m,
  /^ {2}\/.*\.csv {2}text\/csv, \d+ bytes$/m,
  /^ {2}│ word,count$/m,
  /^draw_chart values=/m,
  /^Framebuffer$/m,
  /^ {2}screen-watch captured over MX: demo frame \d+: 640x400$/m,
  /^ {2}saved as .*\.png$/m,
  /^Stopping$/m,
  /exited with code 0$/m,
  /exited with code 0$/m,
  /^✔ done in \d/m,
];

describe("demo", () => {
  test("through a pipe: the whole story in plain lines, and the picture as a file", async () => {
    const { code, stdout, stderr } = await runCommand(extwire("demo"), { cwd: folder });
    assert.equal(code, 0, stderr);
    assert.equal(stderr, "");
    assert.ok(!stdout.includes("\x1b"));
    let rest = stdout;
    for (const pattern of STORY) {
      const found = pattern.exec(rest);
      assert.ok(found, `${pattern} is not in what follows:\n${rest}`);
      rest = rest.slice(found.index + found[0].length);
    }
    assert.match(stdout, /^ {2}screen-watch ● ready/m);
    for (const id of ["web-tools", "screen-watch"])
      assert.match(stdout, new RegExp(`^  ${id} +○ stopped  exited with code 0$`, "m"));
    const picture = decodePng(readFileSync(/saved as (.*demo\.png)$/m.exec(stdout)![1]!));
    assert.deepEqual([picture?.width, picture?.height], [640, 400]);
    if (NO_PROC === false) assert.deepEqual(processesIn(folder), []);
  });

  test("on a terminal: pictures in half blocks, no line wider than it", { skip: NO_TERMINAL }, async () => {
    const { code, stdout } = await inTerminal(extwire("demo"), { cwd: folder, columns: 80 }).ended;
    assert.equal(code, 0, stdout);
    assert.ok((stdout.match(/^ {2}\x1b\[38;2;\d+;\d+;\d+;48;2;\d+;\d+;\d+m▀/gm) ?? []).length >= 20);
    for (const line of stdout.replace(/\x1b\[[\d;?]*[a-zA-Z]/g, "").split(/\r?\n/)) {
      if (!/\/.*\.(?:csv|png)/.test(line)) assert.ok(textWidth(line) <= 80, line);
    }
  });

  test("with kitty's graphics, and with iTerm2's", { skip: NO_TERMINAL }, async () => {
    const kitty = await inTerminal(extwire("demo"), { cwd: folder, env: { TERM: "xterm-kitty" } }).ended;
    assert.match(kitty.stdout, /\x1b_Ga=T,f=100,q=2,c=\d+,m=1;/);
    const iterm = await inTerminal(extwire("demo"), { cwd: folder, env: { TERM_PROGRAM: "iTerm.app" } }).ended;
    assert.match(iterm.stdout, /\x1b\]1337;File=inline=1;size=\d+;width=\d+;/);
  });

  test("without colours the picture is saved and named", { skip: NO_TERMINAL }, async () => {
    const { stdout } = await inTerminal(extwire("demo"), { cwd: folder, env: { NO_COLOR: "1" } }).ended;
    assert.match(stdout, /saved as .*\.png/);
    assert.ok(!stdout.includes("▀"));
  });

  test("--json: one event a line", async () => {
    const save = join(folder, "pictures");
    const { code, stdout } = await runCommand(extwire("demo", "--json", "--save", save), { cwd: folder });
    assert.equal(code, 0);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const of = (type: string) => events.filter((event) => event.type === type);
    assert.deepEqual(events[0], { type: "begin", extensions: ["web-tools", "screen-watch"] });
    assert.deepEqual(
      of("list").map(({ tools }) => tools.map(({ name }: { name: string }) => name)),
      [["fetch_url", "draw_chart", "identicon", "count_words"]],
    );
    // What a tool tells as it goes stands between its call and its result.
    const told = events.flatMap(({ type, tool }) => (tool ? [`${type} ${tool}`] : []));
    assert.deepEqual(
      told.filter((each, i) => each !== told[i - 1]),
      [
        "call fetch_url",
        "progress fetch_url",
        "result fetch_url",
        "call count_words",
        "result count_words",
        "call draw_chart",
        "result draw_chart",
      ],
    );
    assert.equal(of("progress").at(-1).message, "Done");
    assert.match(of("call")[0].input.url, /^http:/);
    assert.ok(of("result").every(({ result, ms }) => result.isError === false && Number.isInteger(ms)));
    const stopping = events.findIndex(({ type }) => type === "stopping");
    assert.deepEqual(
      events.slice(stopping).flatMap(({ type, code }) => (type === "exit" ? [code] : [])),
      [0, 0],
    );
    const [{ path, extension }] = of("framebuffer");
    assert.ok(path.startsWith(save) && existsSync(path));
    assert.equal(extension, "screen-watch");
    assert.ok(Number.isInteger(events.at(-1).ms));
    assert.equal(events.at(-1).type, "end");
  });

  test("a folder for --save that can't be made is told before anything is started", { skip: NO_PROC }, async () => {
    const { code, stdout, stderr } = await runCommand(extwire("demo", "--save", "/proc/1/none"), { cwd: folder });
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /^extwire: the folder of --save \/proc\/1\/none cannot be created: /);
  });
});
