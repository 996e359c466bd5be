/** What an extension writes beside its answers is told to whoever runs `extwire tools` or `extwire call` to debug it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { Command, type Ended, runCommand } from "../support/command.ts";
import type { Script } from "../support/dhara_process.ts";
import { extwire, fixture } from "../support/runtime.ts";

const TOOLS = [{ name: "t", description: "A tool", inputSchema: { type: "object" } }];
const ANSWER = '{"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"fine"}]}}';
const PROGRESS = ["junk", '{"jsonrpc":"2.0","method":"progress","params":{"message":"working","toolCallId":"CALL"}}'];
const REFUSAL = '{"jsonrpc":"2.0","id":"ID","error":{"code":-32050,"message":"not today"}}';

function ready(tools: readonly object[] = TOOLS): string {
  return `{"jsonrpc":"2.0","id":"ID","result":{"name":"x","version":"1","tools":${JSON.stringify(tools)}}}`;
}

function run(args: readonly string[], script: Script): Promise<Ended> {
  const extension = fixture("dhara_script", JSON.stringify(script));
  return runCommand(extwire(...args, "--", extension.command, ...extension.args));
}

/** The lines that name the extension. */
function told({ stderr }: Ended): string[] {
  return stderr.split("\n").flatMap((line) => /^dhara_script (.*)$/.exec(line)?.[1] ?? []);
}

test("call tells at its end what could not be used, five of it", async () => {
  const junk = Array.from({ length: 7 }, (_, i) => `junk ${i}`);
  const ended = await run(["call", "t", "--json"], {
    on: { initialize: [ready()], "tools/execute t": [...junk, ANSWER] },
  });
  assert.deepEqual([ended.code, JSON.parse(ended.stdout).content[0].text], [0, "fine"]);
  const lines = told(ended);
  assert.equal(lines.length, 6);
  for (const [i, line] of lines.slice(0, 5).entries()) assert.match(line, new RegExp(`^! .*junk ${i}"$`));
  assert.equal(lines[5], "… 2 more of these; use --verbose to see them all");
});

test("call tells of it too when the extension answered with an error", async () => {
  const ended = await run(["call", "t"], { on: { initialize: [ready()], "tools/execute t": ["junk", REFUSAL] } });
  assert.equal(ended.code, 1);
  assert.match(told(ended).join("\n"), /^! .*junk"\n… wrote \d+ lines to stderr/);
});

test("tools tells of a schema that is none", async () => {
  const tools = [{ ...TOOLS[0], inputSchema: { type: "objekt" } }];
  const ended = await run(["tools"], { on: { initialize: [ready(tools)] } });
  assert.deepEqual([ended.code, ended.stdout], [0, "t\t\tA tool\n"]);
  assert.match(told(ended).join(), /^! tool 't': the inputSchema is not usable: /);
});

test("tools says so where there are none", async () => {
  const { code, stdout, stderr } = await run(["tools"], { on: { initialize: [ready([])] } });
  assert.deepEqual([code, stdout, stderr], [0, "", "dhara_script: it offers no tools\n"]);
});

test("--verbose shows stderr as it comes, and all that could not be used", async () => {
  const junk = Array.from({ length: 7 }, (_, i) => `junk ${i}`);
  const script = { on: { initialize: [ready()], "tools/execute t": [...junk, ANSWER] } };
  const lines = told(await run(["call", "t", "--verbose"], script));
  assert.equal(lines.filter((line) => line.startsWith("! ")).length, 7);
  assert.ok(lines.some((line) => /^│ > .*"method":"tools\/execute"/.test(line)));
  assert.deepEqual(told(await run(["call", "t"], { on: { initialize: [ready()], "tools/execute t": [ANSWER] } })), []);
});

test("call tells of an end that was not as it should be, and of stderr that says why a tool failed", async () => {
  const bad = await run(["call", "t"], {
    on: { initialize: [ready()], "tools/execute t": [ANSWER], shutdown: [{ exit: 3 }] },
  });
  const [end, more, ...rest] = told(bad);
  assert.deepEqual([bad.code, end, rest], [0, "! exited with code 3 when it was told to shut down", []]);
  assert.match(more!, /^… wrote \d+ lines to stderr; use --verbose to see them$/);
  const failed = await run(["call", "t"], { on: { initialize: [ready()], "tools/execute t": [REFUSAL] } });
  assert.match(told(failed).join(), /^… wrote \d+ lines to stderr; use --verbose to see them$/);
  const tools = await run(["tools"], { on: { initialize: [ready()] } });
  assert.deepEqual(told(tools), []);
});

test("what could not be used is told once where the error ends with it, and stderr not beside a mistake of the caller", async () => {
  const dead = await run(["call", "t"], {
    on: { initialize: [ready()], "tools/execute t": ["junk", { exit: 3 }] },
  });
  assert.deepEqual([dead.code, told(dead)], [1, []]);
  assert.match(dead.stderr, /It also wrote invalid output to stdout:\n .*"junk"$/m);
  const inputSchema = { type: "object", properties: { a: { type: "integer" } } };
  const wrong = await run(["call", "t", "--arg", "a=x"], {
    on: { initialize: [ready([{ ...TOOLS[0], inputSchema }])] },
  });
  assert.deepEqual([wrong.code, told(wrong)], [2, []]);
});

test("call says how much there is on stderr: a line, or nothing of none", async () => {
  const { command, args } = fixture("cli_extension");
  for (const [before, told] of [
    ["", /^$/],
    ["echo oh >&2;", /^\S+ … wrote a line to stderr; use --verbose to see it\n$/],
  ] as const) {
    const line = ["call", "fail", "--", "sh", "-c", `${before} exec "$0" "$@"`, command, ...args];
    const { stderr } = await runCommand(extwire(...line));
    assert.match(stderr.replace("fail failed: no such page\n", ""), told);
  }
});

test("call tells when the extension had to be killed", async () => {
  const extension = fixture("cli_extension", "--ignore-shutdown");
  const folder = mkdtempSync(join(tmpdir(), "extwire-test-"));
  try {
    const manifest = { id: "stubborn", protocol: "dhara", ...extension, shutdownTimeoutMs: 100 };
    writeFileSync(join(folder, "x.json"), JSON.stringify(manifest));
    const { code, stderr } = await runCommand(extwire("tools", join(folder, "x.json")));
    assert.equal(code, 0);
    assert.match(stderr, /^stubborn ! did not exit in time after shutdown and was killed$/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("call tells of a file that its tool names and that is not there", async () => {
  const content = [
    { type: "file", path: "/nowhere/x.csv", size: 1, mimeType: "text/csv" },
    { type: "image", path: "nowhere.png" },
    { type: "image", path: process.execPath },
  ];
  const answer = JSON.stringify({ jsonrpc: "2.0", id: "ID", result: { content } });
  for (const json of [[], ["--json"]]) {
    const { code, stderr } = await run(["call", "t", ...json], {
      on: { initialize: [ready()], "tools/execute t": [answer] },
    });
    assert.equal(code, 0);
    const missing = ["/nowhere/x.csv", resolve("nowhere.png")];
    assert.equal(
      stderr,
      missing.map((path) => `t ! named the file ${JSON.stringify(path)}, which does not exist\n`).join(""),
    );
  }
});

test("an interrupted call tells what came that could not be used, and whether it was ready", async () => {
  const script = (on: Script["on"]) => {
    const extension = fixture("dhara_script", JSON.stringify({ on }));
    return ["--", extension.command, ...extension.args];
  };
  const waiting = new Command(extwire("call", "t", ...script({ initialize: [ready()], "tools/execute t": PROGRESS })));
  await waiting.shows(/t: working/, "stderr");
  waiting.kill("SIGINT");
  const [junk, stderr, ...rest] = told(await waiting.ended);
  assert.match(junk ?? "", /^! .*junk"$/);
  assert.match(stderr ?? "", /^… wrote \d lines to stderr; use --verbose to see them$/);
  assert.deepEqual(rest, []);
  const unready = new Command(extwire("tools", "--verbose", ...script({ initialize: ["junk"] })));
  await unready.shows(/junk/, "stderr");
  unready.kill("SIGINT");
  const ended = await unready.ended;
  assert.deepEqual([ended.code, told(ended).at(-1)], [130, "! interrupted before it was ready"]);
});
