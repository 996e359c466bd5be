/** What is said about a command that the system does not start, also on systems that this is not. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { startFailure } from "../../src/adapters/node_start_failure.ts";
import { about, dhara, hosting } from "../support/hosting.ts";

function said(code: string, command: string, env: Record<string, string> = {}): string {
  return startFailure({ command, args: ["a b"], env }, Object.assign(new Error(`spawn ${command} ${code}`), { code }))
    .message;
}

const TOO_MANY =
  "this program has reached its limit of open files, pipes and sockets: close some, or raise the limit with ulimit -n";

test("[D19] a script that Windows does not start gets an error that says how to run it", () => {
  for (const message of [
    said("EINVAL", "npx.cmd"),
    said("ENOENT", "npx", { Path: "C:\\bin", PATHEXT: ".COM;.EXE;.BAT;.CMD" }),
  ]) {
    assert.match(message, /^npx(\.cmd)? "a b" could not be started: /);
    assert.match(message, /run \.cmd and \.bat files with the command cmd\.exe and the args \/d \/c/);
  }
  assert.doesNotMatch(said("ENOENT", "npx", { PATH: "/bin" }), /cmd\.exe/);
});

test("[D4] a command that is not found gets an error that says where it was looked for, and not the whole PATH", () => {
  const folders = ["/opt/a", "/opt/b", "/opt/a", "", "/opt/c"].join(delimiter);
  const missing = said("ENOENT", "no-such", { PATH: folders });
  assert.match(missing, /: there is no command no-such in the 3 folders of PATH; install it or give its full path$/);
  assert.match(
    said("ENOENT", "no-such", { PATH: "/opt/a" }),
    /no command no-such in \/opt\/a, the only folder in PATH; install/,
  );
  assert.match(said("ENOENT", "no-such"), /no command no-such in PATH, which is empty; install/);
});

test("[D4] a command that lies in the working folder gets an error that says how to write it", () => {
  const folder = mkdtempSync(join(tmpdir(), "extwire-"));
  try {
    writeFileSync(join(folder, "tool"), "#!/bin/sh\n", { mode: 0o755 });
    const cause = Object.assign(new Error("spawn tool ENOENT"), { code: "ENOENT" });
    const { message } = startFailure({ command: "tool", args: [], cwd: folder, env: { PATH: "/opt/a" } }, cause);
    assert.ok(message.endsWith(`; the one in ${folder} is ./tool`), message);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("[D4] a file that can't be run as it is gets an error that says what it is and what would run", () => {
  const folder = mkdtempSync(join(tmpdir(), "extwire-"));
  try {
    const file = join(folder, "tool");
    writeFileSync(file, "print(1)\n", { mode: 0o644 });
    const why = (code: string, command = file) => said(code, command).replace(/^.* could not be started: /, "");
    for (const code of ["EACCES", "EPERM"]) {
      assert.equal(why(code, folder), `${folder} is a folder; name the program in it`);
      assert.equal(why(code), `${file} is not executable; run chmod +x on it, or make its interpreter the command`);
      assert.equal(why(code, "tool"), `not permitted (spawn tool ${code})`);
    }
    chmodSync(file, 0o755);
    assert.equal(why("EACCES"), `not permitted (spawn ${file} EACCES)`);
    assert.equal(
      why("ENOEXEC"),
      `${file} is not an executable program; make its interpreter the command, or give it a first line like #!/usr/bin/env python3`,
    );
    assert.equal(
      why("ENOENT"),
      `${file} exists, but the loader that it names does not: it was built for another system or C library; get the one for this system`,
    );
    for (const code of ["EFTYPE", "UNKNOWN"])
      assert.ok(why(code).startsWith(`the system does not start this kind of file (spawn ${file} ${code}); make its`));
    assert.match(
      said("ENOENT", file, { PATHEXT: ".EXE" }),
      /does not start this kind of file .+; make its interpreter/,
    );
    assert.equal(why("EMFILE"), `spawn ${file} EMFILE; ${TOO_MANY}`);
    assert.equal(why("ENFILE"), `spawn ${file} ENFILE; ${TOO_MANY}`);
    assert.equal(why("EIO"), `spawn ${file} EIO`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("[D29] a command with its arguments in one text gets an error that says to write them apart", () => {
  const hint = /; command must be the program alone: put its arguments in args, or after it as separate words$/;
  assert.match(said("ENOENT", "python3 main.py", { PATH: "/opt/a" }), hint);
  assert.match(said("ENOENT", "/no/such/python3 main.py"), hint);
  assert.doesNotMatch(said("ENOENT", "python3", { PATH: "/opt/a" }), /alone/);
});

test("[D19] no shell reads the arguments: spaces, quotes and percent signs arrive as they are", async () => {
  await hosting(async ({ host }) => {
    const { args = [], ...manifest } = dhara();
    const words = ["a b", '"quoted"', "100%", "%PATH%", "$(id)", "`id`", "a;b", "a&b", "^", "!x!"];
    await host.start({ ...manifest, args: [...args, ...words] });
    assert.deepEqual((await about(host)).argv, words);
  });
});
