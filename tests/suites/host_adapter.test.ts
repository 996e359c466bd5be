/** The machine as the host sees it: real processes, pipes, sockets and signals. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { node } from "../../src/adapters/node.ts";
import type { ExtensionProcess } from "../../src/host/platform.ts";
import type { Pipe } from "../../src/rpc/pipe.ts";
import { isRunning, untilGone } from "../support/processes.ts";

const platform = node();
const env = { PATH: process.env["PATH"] ?? "" };

function sh(script: string): Promise<ExtensionProcess> {
  return platform.spawn({ command: "sh", args: ["-c", script], env });
}

interface Reading {
  readonly bytes: () => Uint8Array;
  readonly text: () => string;
  readonly ended: Promise<Error | undefined>;
  /** Settles once the text so far holds `part`. */
  readonly until: (part: string) => Promise<void>;
}

function read(pipe: Pipe): Reading {
  const chunks: Uint8Array[] = [];
  let waiting = () => {};
  const bytes = () => Buffer.concat(chunks);
  const text = () => bytes().toString("utf8");
  const ended = new Promise<Error | undefined>((resolve) => {
    pipe.open({
      data(chunk) {
        chunks.push(chunk.slice());
        waiting();
      },
      end(error) {
        resolve(error);
      },
    });
  });
  const until = (part: string) =>
    new Promise<void>((resolve) => {
      waiting = () => {
        if (text().includes(part)) resolve();
      };
      waiting();
    });
  return { bytes, text, ended, until };
}

function pattern(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 0xff);
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
        /^no-such-command "a b" could not be started: there is no command no-such-command in PATH \(.+\); install it/,
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
    const child = await sh("exec 0<&-; sleep 0.1; echo last words; exit 3");
    const output = read(child.stdio);
    const writing = (async () => {
      for (;;) await child.stdio.write([pattern(100_000)]);
    })();
    await assert.rejects(writing);
    assert.equal(await output.ended, undefined);
    assert.equal(output.text(), "last words\n");
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

  test("[D8] [X-20] its end is not held up by a grandchild that keeps its pipes open", async () => {
    const child = await sh("sleep 60 & echo $!; yes | head -c 300000; echo; echo END >&2; echo END");
    let errors = "";
    child.onStderr((chunk) => {
      errors += Buffer.from(chunk).toString();
    });
    const output = read(child.stdio);
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    assert.equal(await output.ended, undefined);
    assert.match(output.text(), /y\n\nEND\n$/);
    assert.equal(errors, "END\n");
    const grandchild = Number.parseInt(output.text(), 10);
    assert.ok(isRunning(grandchild));
    child.kill("SIGKILL");
    await untilGone(grandchild);
  });

  test("[D11] never blocks on stderr, with or without a listener", async () => {
    for (const listens of [false, true]) {
      const child = await sh("head -c 4000000 /dev/zero >&2; echo done");
      let heard = 0;
      if (listens) child.onStderr((chunk) => void (heard += chunk.length));
      const output = read(child.stdio);
      await output.ended;
      await child.exited;
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
    assert.equal(output.bytes().length, 1_000_000);
    assert.equal(heard, 1_000_000);
  });
});

describe("a listener", () => {
  async function pair(): Promise<{ pipe: Pipe; socket: Socket; close: () => Promise<void>; port: number }> {
    let accepted = (_pipe: Pipe) => {};
    const pipe = new Promise<Pipe>((resolve) => {
      accepted = resolve;
    });
    const listener = await platform.listen((each) => accepted(each));
    const [host, port] = listener.address.split(":");
    assert.equal(host, "127.0.0.1");
    const socket = connect({ host: "127.0.0.1", port: Number(port), allowHalfOpen: true });
    await once(socket, "connect");
    return { pipe: await pipe, socket, close: () => listener.close(), port: Number(port) };
  }

  test("[B5] [B6] sends 8 MB in many parts, whole and in order, to a reader that starts late", async () => {
    const { pipe, socket, close } = await pair();
    const parts = [Uint8Array.of(1, 2), pattern(4 << 20), Uint8Array.of(3), pattern((4 << 20) + 7), pattern(9)];
    read(pipe);
    const sent = (async () => {
      await pipe.write(parts);
      await pipe.end();
    })();
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    await sent;
    assert.ok(Buffer.concat(chunks).equals(Buffer.concat(parts)));
    socket.destroy();
    await close();
  });

  test("still answers a peer that has finished sending, and lets connections live on when it closes", async () => {
    const { pipe, socket, close, port } = await pair();
    await close();
    await close();
    const late = connect({ host: "127.0.0.1", port });
    await assert.rejects(once(late, "connect"), /ECONNREFUSED/);
    const input = read(pipe);
    const said: string[] = [];
    socket.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    socket.end("question");
    assert.equal(await input.ended, undefined);
    assert.equal(input.text(), "question");
    await pipe.write([new TextEncoder().encode("answer")]);
    await pipe.end();
    await once(socket, "close");
    assert.deepEqual(said, ["answer"]);
    await assert.rejects(async () => pipe.write([Uint8Array.of(1)]));
  });

  test("[B13] a connection that the peer resets, or that is destroyed here, ends once", async () => {
    const { pipe, socket, close } = await pair();
    let ends = 0;
    const ended = new Promise<void>((resolve) => {
      pipe.open({
        data() {},
        end() {
          ends++;
          resolve();
        },
      });
    });
    const write = pipe.write([pattern(20 << 20)]);
    socket.resetAndDestroy();
    await assert.rejects(async () => write);
    await ended;
    pipe.destroy();
    await pipe.end();
    assert.equal(ends, 1);
    await close();
  });

  test("[X-15] hears nobody but this machine, and each has a port of its own", async () => {
    const one = await platform.listen(() => {});
    const two = await platform.listen(() => {});
    assert.notEqual(one.address, two.address);
    const port = Number(one.address.split(":")[1]);
    const outside = Object.values(networkInterfaces())
      .flat()
      .filter((each) => each && !each.internal && each.family === "IPv4");
    for (const each of outside) {
      await assert.rejects(once(connect({ host: each!.address, port }), "connect"), /ECONNREFUSED/);
    }
    await one.close();
    await two.close();
  });
});
