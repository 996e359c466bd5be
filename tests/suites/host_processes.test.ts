/** Processes as the host sees them: pipes, exits, groups and signals. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { node } from "../../src/adapters/node.ts";
import type { ExtensionProcess } from "../../src/host/platform.ts";
import { nextTurn } from "../../src/rpc/turn.ts";
import { runCommand } from "../support/command.ts";
import { FakeTime } from "../support/fake_time.ts";
import { pattern, read } from "../support/pipes.ts";
import { isRunning, untilGone } from "../support/processes.ts";
import { fixture } from "../support/runtime.ts";

const platform = node();
const env = { PATH: process.env["PATH"] ?? "" };

function sh(script: string): Promise<ExtensionProcess> {
  return platform.spawn({ command: "sh", args: ["-c", script], env });
}

describe("a process", () => {
  test("takes and gives bytes unchanged, in parts and in bulk", async () => {
    const child = await platform.spawn({ command: "cat", args: [], env });
    const output = read(child.stdio);
    const big = pattern(3_000_001);
    const parts = [pattern(5), big, new Uint8Array(0), pattern(100_000), Uint8Array.of(1)];
    await child.stdio.write([Uint8Array.of(7), Uint8Array.of(8, 9)]);
    await child.stdio.write(parts);
    await child.stdio.write([]);
    await child.stdio.end();
    assert.equal(await output.ended, undefined);
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    assert.ok(Buffer.concat([Uint8Array.of(7, 8, 9), ...parts]).equals(output.bytes()));
  });

  test("leads a process group, sees only its environment, and works in its folder", async () => {
    const child = await platform.spawn({
      command: "sh",
      args: ["-c", 'ps -o pgid= -p $$; pwd; env | grep -c SECRET; echo "$A"'],
      cwd: "/",
      env: { ...env, A: "ü $HOME" },
    });
    const output = read(child.stdio);
    await output.ended;
    assert.deepEqual(
      output
        .text()
        .trim()
        .split(/\s*\n\s*/),
      [String(child.pid), "/", "0", "ü $HOME"],
    );
  });

  test("tells how it ended", async () => {
    assert.deepEqual(await (await sh("exit 7")).exited, { code: 7, signal: null });
    assert.deepEqual(await (await sh("kill -SEGV $$")).exited, { code: null, signal: "SIGSEGV" });
  });

  test("[D4] that can't be started says what was run and what to do", async () => {
    const folder = mkdtempSync(join(tmpdir(), "extwire-"));
    const file = join(folder, "plain.txt");
    writeFileSync(file, "#!/no/such/interpreter\n");
    const failure = async (options: { command: string; args?: string[]; cwd?: string }) => {
      try {
        await platform.spawn({ args: [], env, ...options });
      } catch (error) {
        assert.equal((error as { code?: string }).code, "start-failed");
        return (error as Error).message;
      }
      throw new assert.AssertionError({ message: `${options.command} was started` });
    };
    try {
      assert.match(
        await failure({ command: "no-such-command", args: ["a b"] }),
        /^no-such-command "a b" could not be started: there is no command no-such-command in (the \d+ folders of PATH|\S+, the only folder in PATH); install it or give its full path$/,
      );
      assert.match(await failure({ command: "/no/such/file" }), /the file \/no\/such\/file does not exist/);
      assert.match(
        await failure({ command: "true", cwd: "/no/such/folder" }),
        /its working folder \/no\/such\/folder does not exist; correct cwd/,
      );
      assert.match(await failure({ command: file }), /plain\.txt is not executable; run chmod \+x on it/);
      chmodSync(file, 0o755);
      assert.match(
        await failure({ command: file }),
        /the interpreter that its first line names, \/no\/such\/interpreter, does not exist/,
      );
      writeFileSync(file, "#!/bin/sh\r\nexit\r\n");
      assert.match(await failure({ command: file }), /the first line of .*plain\.txt ends with CR LF/);
      assert.match(
        await failure({ command: "true", cwd: file }),
        /its working folder .*plain\.txt is not a folder; correct cwd/,
      );
      assert.match(await failure({ command: `${folder}/` }), /is a folder/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("[D4] that ends at once fails what is written to it, and nothing else", async () => {
    for (const command of ["true", "false"]) {
      const child = await platform.spawn({ command, args: [], env });
      const output = read(child.stdio);
      const { code } = await child.exited;
      assert.equal(code, command === "true" ? 0 : 1);
      assert.equal(await output.ended, undefined);
      await assert.rejects(async () => {
        for (;;) await child.stdio.write([pattern(100_000)]);
      });
      await child.stdio.end();
      child.stdio.destroy();
      child.stdio.destroy();
      child.kill("SIGKILL");
    }
  });

  test("[D5] [E4] that does not read leaves a write waiting, and its end settles it", async () => {
    const child = await sh("exec sleep 60");
    const output = read(child.stdio);
    const write = child.stdio.write([new Uint8Array(8 << 20)]);
    assert.ok(write instanceof Promise);
    child.kill("SIGKILL");
    await assert.rejects(write);
    assert.equal(await output.ended, undefined);
    assert.deepEqual(await child.exited, { code: null, signal: "SIGKILL" });
  });

  test("[D24] that ends while it is written to is still heard to its last word", async () => {
    // No time passes: how long it is heard is not what is asked here.
    await FakeTime.run(async () => {
      const child = await sh("exec 0<&-; sleep 0.1; echo last words; exit 3");
      const output = read(child.stdio);
      const writing = (async () => {
        for (;;) await child.stdio.write([pattern(100_000)]);
      })();
      await assert.rejects(writing);
      assert.equal(await output.ended, undefined);
      assert.equal(output.text(), "last words\n");
    });
  });

  test("[D24] that ends while many write to it refuses none of them before its last word was heard", async () => {
    await FakeTime.run(async (time) => {
      const child = await sh("exec 0<&-; sleep 0.1; echo last words; exit 3");
      const output = read(child.stdio);
      const heard: Promise<string>[] = [];
      let over = false;
      void output.ended.then(() => (over = true));
      while (!over) {
        heard.push(
          (async () => child.stdio.write([Uint8Array.of(1)]))().then(
            () => "taken",
            () => output.text(),
          ),
        );
        await new Promise<void>(nextTurn);
      }
      // Bun takes small writes for ever.
      for (const each of await Promise.all(heard)) assert.ok(each === "taken" || each === "last words\n", each);
      await child.drained;
      assert.equal(time.timers, 0);
    });
  });

  test("[D5] whose pipe is destroyed refuses what waits to be written, and sees the end of both its streams", async () => {
    const child = await sh("sleep 0.1; cat >/dev/null; echo x || exit 7; exit 3");
    const output = read(child.stdio);
    const write = child.stdio.write([new Uint8Array(8 << 20)]);
    assert.ok(write instanceof Promise);
    const refused = assert.rejects(write, { code: "closed", message: "the connection is closed" });
    child.stdio.destroy();
    await refused;
    await child.stdio.end();
    const { code, signal } = await child.exited;
    assert.ok(code === 7 || signal === "SIGPIPE", `${code} ${signal}`);
    assert.equal(output.text(), "");
  });

  test("[D24] that takes no more input but lives on has its pipe ended with the reason", async () => {
    const child = await sh("exec 0<&-; echo closed; exec sleep 60");
    const output = read(child.stdio);
    await output.until("closed");
    await assert.rejects(async () => {
      for (;;) await child.stdio.write([pattern(100_000)]);
    });
    assert.match(String((await output.ended)?.message), /no longer reads what is written to it/);
    child.kill("SIGKILL");
    await child.exited;
  });

  test("[D6] [X-20] is killed with all its descendants", async () => {
    const child = await sh("sh -c 'sleep 60 & echo $! $$; wait' & wait");
    const output = read(child.stdio);
    await output.until("\n");
    const pids = output.text().trim().split(" ").map(Number);
    assert.ok(pids.every(isRunning));
    child.kill("SIGKILL");
    assert.deepEqual(await child.exited, { code: null, signal: "SIGKILL" });
    await Promise.all(pids.map(untilGone));
    await output.ended;
  });

  test("[D6] [X-20] is killed on Windows with its tree by taskkill, alone where that fails, and says so", async () => {
    const folder = mkdtempSync(join(tmpdir(), "extwire-"));
    const killed = { code: null, signal: "SIGKILL" };
    const exit = async (taskkill: string | undefined, script: string) => {
      const command = join(folder, "taskkill");
      const asked = join(folder, "asked");
      writeFileSync(asked, "");
      const first = `echo "$1 $3 $4" >>"${asked}"`;
      if (taskkill !== undefined) writeFileSync(command, `#!/bin/sh\n${first}\n${taskkill}\n`, { mode: 0o755 });
      const path = `${folder}:${env.PATH}`;
      const { stdout, stderr } = await runCommand(fixture("windows_kill", script), { env: { PATH: path } });
      assert.equal(stderr, "");
      // Once: when it is over, its number may be that of another process.
      assert.equal(readFileSync(asked, "utf8"), taskkill === undefined ? "" : "/pid /t /f\n");
      return JSON.parse(stdout);
    };
    const waits = "echo up; while :; do sleep 0.05; done";
    try {
      assert.deepEqual(await exit(undefined, "echo up; exec sleep 60"), killed);
      assert.deepEqual(await exit("exit 1", "echo up; exec sleep 60"), killed);
      const works = `kill "$2" && while kill -0 "$2"; do sleep 0.05; done 2>/dev/null`;
      // There the exit of a process that was ended so is 1, and no signal.
      assert.deepEqual(await exit(works, `trap "exit 1" TERM; ${waits}`), killed);
      assert.deepEqual(await exit(works, `trap "exit 7" TERM; ${waits}`), { code: 7, signal: null });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("[D11] never blocks on stderr, with or without a listener", async () => {
    for (const listens of [false, true]) {
      const child = await sh("head -c 4000000 /dev/zero >&2; echo done");
      let heard = 0;
      if (listens) child.onStderr((chunk) => void (heard += chunk.length));
      const output = read(child.stdio);
      await output.ended;
      await child.drained;
      assert.equal(output.text(), "done\n");
      if (listens) assert.equal(heard, 4_000_000);
    }
  });

  test("[D20] both its outputs are read all the time, and it may end on the end of its input", async () => {
    const child = await sh("cat >/dev/null; head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; exit 0");
    let heard = 0;
    child.onStderr((chunk) => void (heard += chunk.length));
    const output = read(child.stdio);
    await child.stdio.end();
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    await output.ended;
    await child.drained;
    assert.equal(output.bytes().length, 1_000_000);
    assert.equal(heard, 1_000_000);
  });
});
