/** From start to ready, in both protocols: handshake, environment, folders, and every way in which a start fails. */
import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { about, dhara, hosting, mx } from "../support/hosting.ts";
import { isRunning } from "../support/processes.ts";
import { failsWith } from "../support/rejected.ts";

test("[D-02] [D-06] [D-09] a Dhara extension's life: initialize with version and cwd, tools, calls, shutdown, exit 0", async () => {
  const folder = realpathSync(tmpdir());
  await hosting(
    async ({ host, events }) => {
      const handle = await host.start(dhara());
      assert.equal(handle.state, "ready");
      assert.deepEqual(
        host
          .tools()
          .map(({ name, extension }) => `${extension}.${name}`)
          .slice(0, 2),
        ["raw.echo", "raw.never"],
      );
      assert.deepEqual((await host.execute("echo", { a: "ü" })).content, [{ type: "text", text: '{"a":"ü"}' }]);
      const { cwd, folder: works, heard } = await about(host);
      assert.deepEqual(heard.slice(0, 2), ["initialize", "tools/execute"]);
      assert.equal(cwd, folder);
      assert.equal(works, folder);
      await handle.stop();
      assert.deepEqual(handle.snapshot().lastExit, { code: 0, signal: null });
      assert.deepEqual(host.extensions()[0]?.stderr(), ["heard shutdown"]);
      assert.deepEqual(
        events.flatMap((event) =>
          event.type === "state"
            ? [event.state]
            : event.type === "exit"
              ? [`exit ${event.code} ${event.expected}`]
              : [],
        ),
        ["starting", "ready", "stopping", "exit 0 true", "stopped"],
      );
      assert.deepEqual(host.tools(), []);
    },
    { cwd: folder },
  );
});

test("[D-06] a process works in its manifest's folder, and is told of the host's", async () => {
  await hosting(async ({ host }) => {
    await host.start(dhara({}, { cwd: "/" }));
    const { cwd, folder } = await about(host);
    assert.equal(cwd, process.cwd());
    assert.equal(folder, "/");
  });
});

test("[M-17] [M-18] [M-19] [M-20] an MX extension's life: dial, hello, status, shutdown", async () => {
  await hosting(async ({ host, events }) => {
    const handle = await host.start(mx({ status: [{ state: "ready", message: "watching" }] }));
    const { state, message, sessionId, pid } = handle.snapshot();
    assert.deepEqual([state, message], ["ready", "watching"]);
    assert.match(sessionId ?? "", /^raw-[0-9a-f]{16}$/);
    assert.ok(pid && isRunning(pid));
    const status = events.find((event) => event.type === "status");
    assert.equal(status?.type === "status" && status.status.version, "0.1.0");
    assert.deepEqual((await handle.reportStatus()).capabilities, ["runtime.v1"]);
    await host.close();
    assert.deepEqual(handle.snapshot().lastExit, { code: 0, signal: null });
    assert.deepEqual(handle.snapshot().stderr(), ["asked with null", "asked with null", "told to shut down with null"]);
  });
});

test("[M-18] what an MX extension says of itself is its state, and a change of it is told", async () => {
  const status = [
    { state: "degraded", message: "no picture" },
    { state: "degraded", message: "no picture" },
    { state: "failed", message: "no device" },
    { state: "ready", message: "back" },
    { state: "ready", message: "and well" },
  ];
  await hosting(
    async ({ host, events, until }) => {
      const handle = await host.start(mx({ status }));
      assert.equal(handle.state, "degraded");
      await until((event) => event.type === "state" && event.message === "and well");
      const told = events.flatMap((event) => (event.type === "status" ? [event.status.state] : []));
      assert.deepEqual(told, ["degraded", "failed", "ready", "ready"]);
      assert.equal(handle.state, "ready");
      const states = events.flatMap((event) => (event.type === "state" ? [event.message] : []));
      assert.deepEqual(states, [undefined, "no picture", "no device", "back", "and well"]);
    },
    { statusIntervalMs: 20 },
  );
});

test("[X-16] [D18] a child finds safe variables and those of its manifest, and no secret", async () => {
  process.env["EXTWIRE_TEST_SECRET"] = "hidden";
  process.env["EXTWIRE_TEST_WANTED"] = "shown";
  try {
    await hosting(async ({ host }) => {
      await host.start(dhara({}, { env: { A: "1 $HOME", B: undefined }, passEnv: ["EXTWIRE_TEST_WANTED"] }));
      const { env } = await about(host);
      assert.equal(env["A"], "1 $HOME");
      assert.equal(env["PATH"], process.env["PATH"]);
      assert.equal(env["EXTWIRE_TEST_WANTED"], "shown");
      assert.ok(!("EXTWIRE_TEST_SECRET" in env) && !("B" in env));
    });
  } finally {
    delete process.env["EXTWIRE_TEST_SECRET"];
    delete process.env["EXTWIRE_TEST_WANTED"];
  }
});

test("[D29] arguments reach the process as they stand", async () => {
  await hosting(async ({ host }) => {
    const { args = [], ...manifest } = dhara();
    const words = ["a b", "", '"', "'", "\\", "$HOME", "*", "ü😀", "--x=y"];
    await host.start({ ...manifest, args: [...args, ...words] });
    assert.deepEqual((await about(host)).argv, words);
  });
});

test("[D4] [D14] a command that ends too soon, or is none, fails the start with how it ended and its last words", async () => {
  await hosting(async ({ host }) => {
    for (const protocol of ["dhara", "mx"] as const) {
      const start = (command: string, ...args: string[]) =>
        failsWith(host.start({ id: "x", protocol, command, args }), "start-failed");
      const done = await start("true");
      assert.match(
        done.message,
        /extension 'x' \(true\) exited with code 0 before it was ready\. An extension .+ by hand.+ It wrote nothing to stderr/,
      );
      assert.equal(done.exitCode, 0);
      assert.equal((await start("false")).exitCode, 1);
      const loud = await start("sh", "-c", "echo usage: x; echo one >&2; echo two >&2; exit 4");
      assert.match(
        loud.message,
        /\(sh -c "echo usage.+"\) exited with code 4 before it was ready\. Run the command by hand/,
      );
      assert.match(
        loud.message,
        /last lines on stderr:\n {4}one\n {4}two\n(?:Its last lines on|It also wrote invalid output to) stdout.+usage: x/s,
      );
      assert.deepEqual([loud.exitCode, loud.stderr, loud.extension], [4, "one\ntwo", "x"]);
      const killed = await start("sh", "-c", "kill -KILL $$");
      assert.equal(killed.signal, "SIGKILL");
      assert.match(
        (await start("no-such-command")).message,
        /extension 'x': no-such-command could not be started: there is no command/,
      );
      assert.match(
        (await failsWith(host.start({ id: "x", protocol, command: "true", cwd: "/no/such" }), "start-failed")).message,
        /\/no\/such does not exist/,
      );
    }
  });
});

test("[D14] [C4] an extension that does not manage its handshake is ended, and the start says why", async () => {
  await hosting(async ({ host, events }) => {
    const error = await failsWith(
      host.start(dhara({ initialize: "error", stderr: "starting up\n" })),
      "handshake-failed",
    );
    assert.match(
      error.message,
      /extension 'raw' \(.+\) did not complete its handshake: .*-32000: no key for the service\.\nIts last lines on stderr:\n {4}starting up\n {4}heard shutdown/,
    );
    assert.equal(error.exitCode, 0);
    assert.match(
      (await failsWith(host.start(dhara({ initialize: "nonsense" })), "handshake-failed")).message,
      /did not complete its handshake/,
    );
    const exited = await failsWith(host.start(dhara({ initialize: "exit", stderr: "no config\n" })), "start-failed");
    assert.match(exited.message, /exited with code 3 before it was ready.+no config/s);
    const silent = { initialize: "never", shutdown: "ignore", ignoreEnd: true, ignoreTerm: true };
    const late = await failsWith(
      host.start(dhara(silent, { startTimeoutMs: 300, shutdownTimeoutMs: 200 })),
      "handshake-failed",
    );
    assert.match(late.message, /no answer to initialize within 300 ms/);
    assert.equal(late.signal, "SIGKILL");
    assert.equal(events.filter((event) => event.type === "exit").length, 4);
    assert.ok(host.extensions().every(({ pid, state }) => pid === undefined && state === "stopped"));
  });
});

test("[C4] a start that is given up rejects at once with the signal's reason, and its process is ended", async () => {
  await hosting(async ({ host, until }) => {
    const controller = new AbortController();
    const silent = { initialize: "never", stderr: "here\n" };
    const started = host.start(dhara(silent), { signal: controller.signal });
    await until((event) => event.type === "stderr" && event.line === "here");
    controller.abort(new Error("enough"));
    await assert.rejects(started, /enough/);
    const exit = await until((event) => event.type === "exit");
    assert.ok(exit.type === "exit" && exit.expected && exit.code === 0);
    assert.deepEqual(host.extensions()[0]?.diagnostics(), []);
    await assert.rejects(host.start(dhara(), { signal: controller.signal }), /enough/);
  });
});

test("[X-23] [C26] a call waits for the start that is under way, and an unknown tool is named with what is near", async () => {
  await hosting(async ({ host }) => {
    assert.match(
      (await failsWith(host.execute("echo"), "unknown-tool")).message,
      /Unknown tool 'echo' \(no running extension has any tools\)$/,
    );
    const started = host.start(dhara());
    const [result, named] = await Promise.all([
      host.execute("echo", { early: 1 }),
      host.execute("echo", {}, { extension: "raw" }),
    ]);
    assert.deepEqual(result.content, [{ type: "text", text: '{"early":1}' }]);
    assert.equal(named.isError, false);
    await started;
    assert.match(
      (await failsWith(host.execute("ecko"), "unknown-tool")).message,
      /Unknown tool 'ecko'\. Did you mean 'echo'\? \(there are: .*\becho\b.*\)$/,
    );
    assert.match((await failsWith(host.execute("__proto__"), "unknown-tool")).message, /Unknown tool '__proto__'/);
    const nobody = await failsWith(host.execute("echo", {}, { extension: "nobody" }), "unknown-tool");
    assert.match(nobody.message, /[Uu]nknown extension 'nobody'/);
    assert.match(
      (await failsWith(host.start(dhara()), "start-failed")).message,
      /'raw' already exists and is ready; await its stop first/,
    );
    await host.start(dhara({}, { id: "other" }));
    await host.start(dhara({}, { id: "third" }));
    assert.match(
      (await failsWith(host.execute("echo"), "unknown-tool")).message,
      /several extensions have a tool 'echo' \('raw', 'other', 'third'\): name one with the option `extension`/,
    );
    await host.start(mx({}, { id: "mx" }));
    const toolless = await failsWith(host.execute("echo", {}, { extension: "mx" }), "unknown-tool");
    assert.deepEqual([toolless.extension, toolless.message], ["mx", "extension 'mx' speaks MX, which has no tools"]);
  });
});

test("[X-14] [M-14] the token is in the environment alone: in no argument, event, error or log", async () => {
  await hosting(async ({ host, events }) => {
    const handle = await host.start(mx({ tellsToken: true, redialAfter: 1 }));
    await failsWith(host.start(mx({ tellsToken: true, token: "no" }, { id: "bad" })), "start-failed");
    await handle.stop();
    const told = JSON.stringify([events, host.extensions().map((each) => [each.stderr(), each.diagnostics(), each])]);
    assert.match(told, /out \[token\]/);
    assert.match(told, /err \[token\] /);
    assert.doesNotMatch(told, /[0-9a-f]{64}/);
  });
});

test("[X-05] [A5] junk on stdout costs nothing and is kept, capped in number and length", async () => {
  const junk = `${"started ok\n".repeat(3)}${"x".repeat(20_000)}\n${Array.from({ length: 2_000 }, (_, i) => `junk ${i}`).join("\n")}\n`;
  await hosting(async ({ host, events }) => {
    const handle = await host.start(dhara({ stdout: junk }));
    assert.equal((await host.execute("echo", { fine: 1 })).isError, false);
    const kept = handle.snapshot().diagnostics();
    assert.equal(kept.length, 1_000);
    assert.match(kept.at(-1) ?? "", /junk 1999/);
    assert.ok(kept.every((line) => Buffer.byteLength(line) <= 8_192));
    assert.ok(events.filter((event) => event.type === "diagnostic").length > 2_000);
  });
});
