/** The executable alone: in an empty folder, without a network, with no runtime on its PATH. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { MxGate, type MxSession, testPattern } from "extwire";
import { node } from "extwire/node";
import { ROOT } from "../../tools/bundle.ts";
import { assertWholeDemo, readEvents } from "../support/demo.ts";

const EXECUTABLE = join(ROOT, "dist/extwire");

/** A network of its own, with nothing but loopback in it: root may make one, where the tools for it are. */
const IP = "/usr/sbin/ip";
const UNSHARE = "/usr/bin/unshare";
const mayIsolate = process.getuid?.() === 0 && existsSync(IP) && existsSync(UNSHARE);

const execute = promisify(execFile);

describe("the executable alone", () => {
  let folder: string;
  let environment: Record<string, string>;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "extwire-alone-"));
    copyFileSync(EXECUTABLE, join(folder, "extwire"));
    chmodSync(join(folder, "extwire"), 0o755);
    for (const name of ["path", "home", "tmp"]) mkdirSync(join(folder, name));
    environment = { PATH: join(folder, "path"), HOME: join(folder, "home"), TMPDIR: join(folder, "tmp") };
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  function command(args: readonly string[], isolated = mayIsolate): [string, string[]] {
    const program = join(folder, "extwire");
    if (!isolated) return [program, [...args]];
    const script = `${IP} link set lo up && exec "$0" "$@"`;
    return [UNSHARE, ["--net", "/bin/sh", "-c", script, program, ...args]];
  }

  async function run(...args: string[]) {
    const [program, rest] = command(args);
    return await execute(program, rest, { cwd: folder, env: environment });
  }

  function start(args: readonly string[], ofHost?: Record<string, string>): ChildProcess {
    // What a host gave its extension leads to the network that the host is in.
    const [program, rest] = command(args, mayIsolate && ofHost === undefined);
    const env = { ...environment, ...ofHost };
    return spawn(program, rest, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
  }

  test("[F3] passes the demo", async () => {
    const { stdout } = await run("demo");
    assertWholeDemo(stdout);
  });

  test("lists and calls the tools of its own example", async () => {
    const listed = JSON.parse((await run("tools", "demo:dhara", "--json")).stdout) as unknown;
    assert.match(JSON.stringify(listed), /fetch_url.*draw_chart/);
    const { stdout } = await run("call", "demo:dhara", "count_words", "--arg", "text=a b a", "--json");
    assert.match(stdout, /"file"/);
  });

  test("hosts both of its examples until it is interrupted", async () => {
    const host = start(["run", "demo:dhara", "demo:mx", "--json"]);
    const exited = new Promise((resolve) => host.once("exit", (code, signal) => resolve([code, signal])));
    const ready = new Set<unknown>();
    let output = "";
    for await (const line of createInterface({ input: host.stdout! })) {
      output += `${line}\n`;
      const event = JSON.parse(line) as Record<string, unknown>;
      if (event["type"] !== "state" || event["state"] !== "ready") continue;
      ready.add(event["extension"]);
      if (ready.size === 2) host.kill("SIGINT");
    }
    assert.deepEqual(await exited, [130, null]);
    const exits = readEvents(output).filter(({ type }) => type === "exit");
    assert.deepEqual(
      exits.map(({ code }) => code),
      [0, 0],
    );
  });

  test("[D-02] is the example of Dhara", async () => {
    const extension = start(["extension", "dhara"]);
    const exited = new Promise((resolve) => extension.once("exit", resolve));
    const lines = createInterface({ input: extension.stdout! })[Symbol.asyncIterator]();
    const send = (message: object) => extension.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    send({ id: 1, method: "initialize", params: { version: "0.1.0", cwd: folder } });
    const { value } = await lines.next();
    assert.match(String(value), /"tools":\[.*fetch_url/);
    send({ method: "shutdown" });
    assert.equal(await exited, 0);
  });

  test("[M-14] [M-19] is the example of MX", async () => {
    const platform = node();
    let joined: (session: MxSession) => void;
    const session = new Promise<MxSession>((resolve) => {
      joined = resolve;
    });
    const gate = new MxGate({
      id: "com.example.alone",
      codec: platform.codec(),
      vms: testPattern({ width: 64, height: 48 }),
      helloTimeoutMs: 60_000,
      onSession: (live) => joined(live),
    });
    const listener = await platform.listen((pipe) => gate.accept(pipe));
    const extension = start(["extension", "mx"], gate.environment(listener.address));
    const exited = new Promise((resolve) => extension.once("exit", resolve));
    const live = await session;
    assert.match((await live.reportStatus(60_000)).state, /^(ready|degraded)$/);
    await live.shutdown(60_000);
    assert.equal(await exited, 0);
    await gate.close();
    await listener.close();
  });

  test("left nothing beside itself", () => {
    assert.deepEqual(readdirSync(folder).sort(), ["extwire", "home", "path", "tmp"]);
  });

  test("has the checksum that stands beside it", () => {
    const sums = readFileSync(join(ROOT, "dist/SHA256SUMS"), "utf8");
    const hash = createHash("sha256").update(readFileSync(EXECUTABLE)).digest("hex");
    assert.ok(sums.includes(`${hash}  extwire\n`));
  });
});
