/** The completion scripts, run by the shells they are for. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { runCommand } from "../support/command.ts";
import { extwire } from "../support/runtime.ts";

const folder = mkdtempSync(join(tmpdir(), "extwire-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const { command, args } = extwire();
const quoted = [command, ...args].map((word) => `'${word}'`).join(" ");
writeFileSync(join(folder, "extwire"), `#!/bin/sh\nexec ${quoted} "$@"\n`);
chmodSync(join(folder, "extwire"), 0o755);
writeFileSync(join(folder, "my-manifest.json"), "{}");

function missing(shell: string): string | false {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0 ? false : `${shell} is not installed`;
}

function shell(name: string, script: string): string {
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}` };
  return spawnSync(name, ["-c", script], { cwd: folder, env, encoding: "utf8" }).stdout;
}

const expected: readonly [line: string, proposals: readonly string[]][] = [
  ["extwire ca", ["call"]],
  ["extwire call demo:", ["demo:dhara", "demo:mx"]],
  ["extwire tools my-", ["my-manifest.json"]],
  ["extwire call x y --prot", ["--protocol"]],
  ["extwire run --max", ["--max-message-bytes"]],
  ["extwire tools --protocol ", ["dhara", "mx"]],
  ["extwire extension m", ["mx"]],
  ["extwire run -- my-", ["my-manifest.json"]],
];

describe("completion", () => {
  test("bash", { skip: missing("bash") }, () => {
    for (const [line, proposals] of expected) {
      const found = shell(
        "bash",
        `source <(extwire completion bash); COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; COMP_WORDBREAKS=' '; _extwire; printf '%s\\n' "\${COMPREPLY[@]}"`,
      );
      assert.deepEqual(found.trim().split("\n"), proposals, line);
    }
    // Readline cuts words at colons and replaces only what follows the last one.
    const cut = shell(
      "bash",
      `source <(extwire completion bash); COMP_LINE='extwire call demo:d'; COMP_POINT=19; _extwire; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
    assert.equal(cut.trim(), "dhara");
  });

  test("fish", { skip: missing("fish") }, () => {
    for (const [line, proposals] of expected.slice(0, -1)) {
      const found = shell("fish", `extwire completion fish | source; complete -C '${line}'`);
      assert.deepEqual(
        found
          .trim()
          .split("\n")
          .map((each) => each.split("\t")[0]),
        proposals,
        line,
      );
    }
  });

  test("zsh", { skip: missing("zsh") }, () => {
    // Its completion needs a terminal with an editor; that it is read and defines what it says is seen here.
    const found = shell(
      "zsh",
      "autoload -Uz compinit; compinit -u -D; source <(extwire completion zsh); print $_comps[extwire]; whence -w _extwire",
    );
    assert.equal(found.trim(), "_extwire\n_extwire: function");
  });

  test("another shell is told which there are", async () => {
    const { code, stderr } = await runCommand(extwire("completion", "zhs"));
    assert.deepEqual(
      [code, stderr],
      [2, 'extwire: completion takes bash, zsh or fish, not "zhs"; did you mean zsh?\n'],
    );
  });

  test("file names are proposed where one may stand, and nowhere else", async () => {
    for (const [words, expected] of [
      [["tools"], ["tools"]],
      [
        ["tools", "demo:"],
        ["demo:dhara", "demo:mx", ":files"],
      ],
      [
        ["tools", "--"],
        ["--json", "--verbose", "--trace", "--protocol", "--max-message-bytes"],
      ],
      [["tools", "--js"], ["--json"]],
      [["run", "--config", "my"], [":files"]],
      [["call", "demo:dhara", "x", "--arg", ""], []],
    ] as const) {
      const { stdout } = await runCommand(extwire("__complete", ...words));
      const proposals = stdout.split("\n").map((line) => line.split("\t")[0]);
      assert.deepEqual(proposals, [...expected, ""], words.join(" "));
    }
  });
});
