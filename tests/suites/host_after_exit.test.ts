/** What a process has written is heard to the end after its exit, whoever else holds its pipes. */
import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { node } from "../../src/adapters/node.ts";
import type { ExtensionProcess } from "../../src/host/platform.ts";
import { FakeTime } from "../support/fake_time.ts";
import { read } from "../support/pipes.ts";
import { isRunning, untilGone } from "../support/processes.ts";

const platform = node();

function sh(script: string): Promise<ExtensionProcess> {
  return platform.spawn({ command: "sh", args: ["-c", script], env: { PATH: process.env["PATH"] ?? "" } });
}

describe("a process that has exited", () => {
  test("is heard to its end all the same, though nobody listened before", async () => {
    const child = await sh("echo too early >&2");
    await child.exited;
    await child.drained;
    const output = read(child.stdio);
    assert.equal(await output.ended, undefined);
    let errors = "";
    child.onStderr((chunk) => void (errors += Buffer.from(chunk).toString()));
    assert.equal(errors, "too early\n");
  });

  test("[D8] [X-20] its end is not held up by a grandchild that keeps its pipes open", async () => {
    const child = await sh("sleep 60 & echo $!; yes | head -c 300000; echo; echo END >&2; echo END");
    let errors = "";
    child.onStderr((chunk) => {
      errors += Buffer.from(chunk).toString();
    });
    const output = read(child.stdio);
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    assert.equal(await output.ended, undefined);
    await child.drained;
    assert.match(output.text(), /y\n\nEND\n$/);
    assert.equal(errors, "END\n");
    const grandchild = Number.parseInt(output.text(), 10);
    assert.ok(isRunning(grandchild));
    child.kill("SIGKILL");
    await untilGone(grandchild);
  });

  test("[D8] [D24] is heard after its exit while others go on writing in its place, but not for ever", async () => {
    const folder = mkdtempSync(join(tmpdir(), "extwire-"));
    try {
      await FakeTime.run(async (time) => {
        const told = join(folder, "told");
        const child = await sh(`mkfifo "${told}"; (while read line; do echo "$line"; done) <"${told}" & exit 0`);
        const output = read(child.stdio);
        let over = false;
        const ended = output.ended.then(() => void (over = true));
        await child.exited;
        const write = openSync(told, "w");
        for (const line of ["one", "two", "three"]) {
          await time.pass(80);
          writeSync(write, `${line}\n`);
          await Promise.race([output.until(`${line}\n`), ended]);
          assert.equal(output.text().endsWith(`${line}\n`), true, `${line} was heard`);
        }
        for (let more = 0; more < 4; more++) {
          writeSync(write, "more\n");
          await time.pass(50);
        }
        assert.equal(over, true);
        closeSync(write);
        await child.drained;
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("[D8] is heard no longer than it takes to be sure that nobody writes", async () => {
    await FakeTime.run(async (time) => {
      const child = await sh("sleep 60 & exit 0");
      const output = read(child.stdio);
      let over = false;
      void output.ended.then(() => (over = true));
      await child.exited;
      await time.pass(99);
      assert.equal(over, false);
      await time.pass(101);
      assert.equal(over, true);
      child.kill("SIGKILL");
    });
  });
});
