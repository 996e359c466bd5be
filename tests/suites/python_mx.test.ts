/** The Python example of an MX extension, against a host made of a socket and nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { example, NO_PYTHON, type PythonProcess, startPython } from "../support/python.ts";
import type { Json } from "../support/raw_dhara.ts";
import { framebuffer, type RawMxConnection, RawMxHost } from "../support/raw_mx.ts";

const SKIP = { skip: NO_PYTHON };

interface Started {
  readonly process: PythonProcess;
  readonly connection: RawMxConnection;
}

/** Starts it and answers its hello. */
async function started(body: (started: Started) => Promise<void>): Promise<void> {
  const host = await RawMxHost.listen();
  const process = startPython(example("mx_extension.py"), [], host.environment);
  const connection = await host.connection();
  try {
    assert.deepEqual(await connection.next(), {
      jsonrpc: "2.0",
      id: 1,
      method: "host.v1.hello",
      params: { token: "t0ken", protocolVersion: 1, extensionId: "com.example.one" },
    });
    connection.send({
      id: 1,
      result: {
        protocolVersion: 1,
        hostCapabilities: ["runtime.v1"],
        sessionId: "com.example.one-0011223344556677",
      },
    });
    await body({ process, connection });
  } finally {
    connection.socket.destroy();
    host.close();
    process.child.kill("SIGKILL");
  }
}

let lastId = 0;

async function ask(connection: RawMxConnection, method: string, params: unknown = null): Promise<Json> {
  // The extension counts from 1 as well: the same ids are in flight both ways.
  const id = ++lastId;
  connection.send({ id, method, params });
  return connection.next((message) => message.id === id && message.method === undefined);
}

/** The status once it is what is `wanted`: the extension judges an answer on another thread than it reports on. */
async function statusOnce(connection: RawMxConnection, wanted: (status: Json) => boolean): Promise<Json> {
  for (;;) {
    const { result } = await ask(connection, "extension.v1.reportStatus");
    if (wanted(result)) return result;
  }
}

const method = (name: string) => (message: Json) => message.method === name;

/** Answers list and capture once; `answer` sends what belongs to the capture. */
async function oneRound(connection: RawMxConnection, answer: (id: number) => void): Promise<void> {
  const list = await connection.next(method("host.v1.listVms"));
  connection.send({ id: list.id, result: [{ id: "vm-é" }] });
  const capture = await connection.next(method("host.v1.captureFramebuffer"));
  assert.deepEqual(capture.params, { vmId: "vm-é" });
  answer(capture.id);
  // The next list is proof that this round is over.
  const next = await connection.next(method("host.v1.listVms"));
  connection.send({ id: next.id, result: [] });
}

test("the Python MX example says hello, is ready, captures in either order, and shuts down", SKIP, async () => {
  await started(async ({ process, connection }) => {
    const status = await ask(connection, "extension.v1.reportStatus");
    assert.deepEqual(Object.keys(status.result), ["state", "message", "version", "protocolVersion", "capabilities"]);
    assert.equal(status.result.state, "ready");
    assert.equal(status.result.protocolVersion, 1);
    assert.deepEqual(status.result.capabilities, ["runtime.v1"]);

    const picture = framebuffer(4, 3);
    const result = { encoding: "mxfb0001", byteLength: picture.length, width: 4, height: 3 };
    await oneRound(connection, (id) => {
      connection.send({ id, result });
      connection.attachment(id, "framebuffer", picture);
    });
    await oneRound(connection, (id) => {
      connection.attachment(id, "framebuffer", picture);
      connection.send({ id, result });
    });
    assert.equal((await statusOnce(connection, ({ message }) => message === "watching no VM")).state, "ready");

    assert.deepEqual((await ask(connection, "extension.v1.nope")).error, {
      code: -32601,
      message: "method not found: extension.v1.nope",
    });
    assert.equal((await ask(connection, "extension.v1.shutdown")).result, null);
    assert.deepEqual(await process.ended, { code: 0, signal: null });
    assert.match(process.stdout(), /^\[\{"id": "vm-\\u00e9"\}\]\nvm-é frame 0: 4x3, crc32 [0-9a-f]{8}\n\[\]\n/);
  });
});

test("the Python MX example is degraded while captures fail, and ready again", SKIP, async () => {
  await started(async ({ connection }) => {
    const picture = framebuffer(2, 2);
    const failing = async (answer: (id: number) => void) => {
      const list = await connection.next(method("host.v1.listVms"));
      connection.send({ id: list.id, result: [{ id: "vm" }] });
      answer((await connection.next(method("host.v1.captureFramebuffer"))).id);
      return (await statusOnce(connection, ({ state }) => state === "degraded")).message;
    };
    assert.match(
      await failing((id) => connection.send({ id, error: { code: -32602, message: "unknown VM" } })),
      /unknown VM/,
    );
    await oneRound(connection, (id) => {
      connection.send({ id, result: { encoding: "mxfb0001", byteLength: picture.length } });
      connection.attachment(id, "framebuffer", picture);
    });
    await statusOnce(connection, ({ state }) => state === "ready");
    const message = await failing((id) => {
      connection.send({ id, result: { encoding: "mxfb0001", byteLength: 9 } });
      connection.attachment(id, "framebuffer", picture);
    });
    assert.match(message, /asked for 9 bytes/);
  });
});

test("the Python MX example ends with a reason when its hello is refused", SKIP, async () => {
  const host = await RawMxHost.listen();
  const process = startPython(example("mx_extension.py"), [], host.environment);
  const connection = await host.connection();
  const hello = await connection.next();
  const message = "hello token is not the token issued for this extension";
  connection.send({ id: hello.id, error: { code: -32602, message } });
  assert.deepEqual(await process.ended, { code: 1, signal: null });
  assert.match(process.stderr(), /hello failed: hello token is not the token issued for this extension \(-32602\)/);
  assert.ok(!process.stderr().includes("t0ken"));
  connection.socket.destroy();
  host.close();
});

test("the Python MX example ends with the end of its socket, and on a frame that cannot be", SKIP, async () => {
  await started(async ({ process, connection }) => {
    connection.socket.destroy();
    assert.deepEqual(await process.ended, { code: 1, signal: null });
    assert.match(process.stderr(), /connection lost/);
  });
  await started(async ({ process, connection }) => {
    connection.socket.write(Buffer.alloc(4));
    assert.deepEqual(await process.ended, { code: 1, signal: null });
    assert.match(process.stderr(), /a frame of 0 bytes/);
  });
  await started(async ({ process, connection }) => {
    connection.frame(1, Buffer.from([0, 0, 0]));
    assert.deepEqual(await process.ended, { code: 1, signal: null });
    assert.match(process.stderr(), /malformed attachment of 3 bytes/);
  });
});

test("the Python MX example skips a kind it does not know, and answers what is no message", SKIP, async () => {
  await started(async ({ connection }) => {
    connection.frame(9, Buffer.from("whatever"));
    connection.frame(0, Buffer.from("{bad"));
    assert.equal((await connection.next((message) => message.id === null)).error.code, -32700);
    connection.frame(0, Buffer.from("[]"));
    assert.equal((await connection.next((message) => message.id === null)).error.code, -32600);
    assert.equal((await ask(connection, "extension.v1.reportStatus")).result.state, "ready");
  });
});

test("the Python MX example says where it looked for a host in vain", SKIP, async () => {
  const process = startPython(example("mx_extension.py"), [], {
    MX_EXTENSION_HOST: "127.0.0.1:1",
    MX_EXTENSION_TOKEN: "t",
    MX_EXTENSION_ID: "a",
    MX_EXTENSION_PROTOCOL: "1",
  });
  assert.deepEqual(await process.ended, { code: 1, signal: null });
  assert.match(process.stderr(), /^no host listens at 127\.0\.0\.1:1: .*\r?\n$/);
});

test("the Python MX example says how it is started when it is started by hand", SKIP, async () => {
  const process = startPython(example("mx_extension.py"));
  assert.deepEqual(await process.ended, { code: 1, signal: null });
  assert.match(process.stderr(), /^no MX_EXTENSION_TOKEN: start this with a host, as in extwire run .*\r?\n$/);
});
