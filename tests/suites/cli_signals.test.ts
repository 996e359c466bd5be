/** Ctrl-C in a terminal and signals from outside: an orderly stop, its exit code, and nobody left behind. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Command, type Ended, inTerminal, NO_PROC, NO_TERMINAL, processesIn } from "../support/command.ts";
import { extwire, fixture } from "../support/runtime.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "extwire-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const CTRL_C = "\x03";

function extension(...args: string[]): string[] {
  const { command, args: before } = fixture("cli_extension", ...args);
  return ["--", command, ...before];
}

/** A manifest for one that does not stop by itself, which has `graceMs` for it. */
function stubborn(graceMs: number, ...flags: string[]): string {
  const { command, args } = fixture("cli_extension", ...flags);
  const manifest = { id: "stubborn", protocol: "dhara", command, args, shutdownTimeoutMs: graceMs };
  writeFileSync(join(folder, "stubborn.json"), JSON.stringify(manifest));
  return "stubborn.json";
}

function terminal(...args: string[]): Command {
  return inTerminal(extwire(...args), { cwd: folder });
}

/** What Python's end of the terminal says of a program that the signal itself has ended. */
const BY_SIGINT = "signal 2\n";

/** A demo that got Ctrl-C when it showed `pattern`. */
async function interruptedDemo(pattern: RegExp): Promise<Ended> {
  const command = terminal("demo", "--save", join(folder, "pictures"));
  await command.shows(pattern);
  command.write(CTRL_C);
  return await command.ended;
}

/** On a busy machine it may be over before the key is read, or so nearly that the runtime listens to no signal any more. */
function wasOver({ code, stdout, stderr }: Ended): boolean {
  return code === 0 || (stderr === BY_SIGINT && /✔ done in/.test(stdout));
}

/** Ended with `code` by its own will, without a stack trace, and alone. */
function assertOrderly({ code, signal, stdout, stderr }: Ended, expected: number): void {
  const all = stdout + stderr;
  assert.equal(code, expected, all);
  assert.equal(signal, null);
  assert.doesNotMatch(stderr, /^signal/m);
  assert.doesNotMatch(all, /^\s+at .*[:(]\d+/m);
  assert.doesNotMatch(all, /unexpected/);
  if (NO_PROC === false) assert.deepEqual(processesIn(folder), []);
}

describe("[D16] Ctrl-C in a terminal", { skip: NO_TERMINAL }, () => {
  test("during a call", async () => {
    const command = terminal("call", "hang", ...extension());
    await command.shows(/hang: hanging/);
    command.write(CTRL_C);
    assertOrderly(await command.ended, 130);
  });

  test("while the input is typed", async () => {
    const command = terminal("call", "echo", "--input", "-", ...extension());
    await command.shows(/Ctrl-D ends it/);
    command.write(CTRL_C);
    assertOrderly(await command.ended, 130);
  });

  test("during a start that takes its time", async () => {
    const command = terminal("tools", "--verbose", stubborn(1_000, "--slow-start"));
    // Its own word for it: while a system starts a process, a key that is pressed may still end that one.
    await command.shows(/starting slowly/);
    command.write(CTRL_C);
    assertOrderly(await command.ended, 130);
  });

  test("while an extension takes long to stop: it is waited for", async () => {
    const command = terminal("call", stubborn(1_000, "--ignore-shutdown"), "hang");
    await command.shows(/hang: hanging/);
    command.write(CTRL_C);
    await command.shows(/press Ctrl-C again/);
    // The line that moves tells what it waits for now.
    await command.shows(/m stopping/);
    assertOrderly(await command.ended, 130);
  });

  test("a second one ends everything at once", async () => {
    // Longer than a test may take.
    const command = terminal("call", stubborn(3_600_000, "--ignore-shutdown"), "hang");
    await command.shows(/hang: hanging/);
    command.write(CTRL_C);
    await command.shows(/press Ctrl-C again/);
    // Closer together they would pass for one.
    await delay(300);
    command.write(CTRL_C);
    const ended = await command.ended;
    if (NO_PROC === false) while (processesIn(folder).length > 0) await delay(10);
    assertOrderly(ended, 130);
  });

  test("run stops both kinds in order", async () => {
    const command = terminal("run", "demo:dhara", "demo:mx");
    await command.shows(/web-tools.*ready/);
    await command.shows(/frame 1/);
    command.write(CTRL_C);
    const ended = await command.ended;
    assertOrderly(ended, 130);
    assert.match(ended.stdout, /web-tools.*exited with code 0/);
    assert.match(ended.stdout, /screen-watch.*exited with code 0/);
  });

  for (const [moment, pattern] of [
    ["as it starts", /Starting/],
    ["as the extensions start", /starting/],
    ["in a download", /Downloading/],
    ["at the pictures", /▀/],
  ] as const) {
    test(`in the demo, ${moment}`, async () => {
      let ended = await interruptedDemo(pattern);
      while (wasOver(ended)) ended = await interruptedDemo(pattern);
      assertOrderly(ended, 130);
    });
  }

  test("in the demo, as it stops", async () => {
    const ended = await interruptedDemo(/Stopping/);
    // It may have been faster; or the runtime has taken its handlers away already, and the signal itself ends what was
    // over: a shell shows that as 130, too.
    if (ended.code === 0) assertOrderly(ended, 0);
    else if (ended.stderr === BY_SIGINT) assertOrderly({ ...ended, code: 130, stderr: "" }, 130);
    else assertOrderly(ended, 130);
  });
});

describe("[D16] signals", () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    test(`${signal} stops in order and ends with ${code}`, async () => {
      const command = new Command(extwire("call", "hang", ...extension()), { cwd: folder });
      await command.shows(/hang: hanging/, "stderr");
      command.kill(signal);
      const ended = await command.ended;
      assertOrderly(ended, code);
      assert.equal(ended.stdout, "");
      assert.equal(ended.stderr, "hang: hanging\n");
    });
  }

  test("[D1] [D17] [X-21] when the host is killed, both examples end", { skip: NO_PROC }, async () => {
    const command = new Command(extwire("run", "demo:dhara", "demo:mx"), { cwd: folder });
    await command.shows(/web-tools.*ready/, "stderr");
    await command.shows(/frame 1/);
    assert.equal(processesIn(folder).length, 3);
    command.kill("SIGKILL");
    await command.ended;
    while (processesIn(folder).length > 0) await delay(20);
  });
});
