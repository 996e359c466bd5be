/** The Python example of an MX extension, against a host made of a socket and nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { attachmentBody, frame, framebufferBytes, type Json } from "../support/messages.ts";
import { ID, type RawEnd, RawHost } from "../support/mx.ts";
import { ok } from "../support/mx_sessions.ts";
import { example, NO_PYTHON, type PythonProcess, startPython } from "../support/python.ts";

const SKIP = { skip: NO_PYTHON };

interface Dialled {
  readonly process: PythonProcess;
  readonly end: RawEnd;
}

/** Starts it and waits until it has dialled. */
async function dialled(body: (dialled: Dialled) => Promise<void>): Promise<void> {
  const host = await RawHost.open();
  const process = startPython(example("mx_extension.py"), [], {
    MX_EXTENSION_HOST: host.address,
    MX_EXTENSION_TOKEN: "t0ken",
    MX_EXTENSION_ID: ID,
    MX_EXTENSION_PROTOCOL: "1",
  });
  try {
    await body({ process, end: await host.connections.next() });
  } finally {
    host.close();
    process.child.kill("SIGKILL");
  }
}

/** Starts it and answers its hello. */
function started(body: (dialled: Dialled) => Promise<void>): Promise<void> {
  return dialled(async ({ process, end }) => {
    assert.deepEqual(await end.json(), {
      jsonrpc: "2.0",
      id: 1,
      method: "host.v1.hello",
      params: { token: "t0ken", protocolVersion: 1, extensionId: ID },
    });
    end.send(ok(1, { protocolVersion: 1, hostCapabilities: ["runtime.v1"], sessionId: `${ID}-0011223344556677` }));
    await body({ process, end });
  });
}

let lastId = 0;

function ask(end: RawEnd, method: string, params: unknown = null): Promise<Json> {
  // The extension counts from 1 as well: the same ids are in flight both ways.
  const id = ++lastId;
  end.send({ jsonrpc: "2.0", id, method, params });
  return end.pick((message) => message.id === id && message.method === undefined);
}

/** The status once it is what is `wanted`: the extension judges an answer on another thread than it reports on. */
async function statusOnce(end: RawEnd, wanted: (status: Json) => boolean): Promise<Json> {
  for (;;) {
    const { result } = await ask(end, "extension.v1.reportStatus");
    if (wanted(result)) return result;
  }
}

function attach(end: RawEnd, id: number, picture: Uint8Array): void {
  void end.write(frame(1, attachmentBody(id, "framebuffer", picture)));
}

/** RGBA with a pixel of padding a row. */
function framebuffer(width: number, height: number): Buffer {
  const stride = (width + 1) * 4;
  return framebufferBytes(width, height, stride, 0, Buffer.alloc(height * stride, 7));
}

const method = (name: string) => (message: Json) => message.method === name;

/** Answers list and capture once; `answer` sends what belongs to the capture. */
async function oneRound(end: RawEnd, answer: (id: number) => void): Promise<void> {
  const list = await end.pick(method("host.v1.listVms"));
  end.send(ok(list.id, [{ id: "vm-é" }]));
  const capture = await end.pick(method("host.v1.captureFramebuffer"));
  assert.deepEqual(capture.params, { vmId: "vm-é" });
  answer(capture.id);
  // The next list is proof that this round is over.
  const next = await end.pick(method("host.v1.listVms"));
  end.send(ok(next.id, []));
}

test("the Python MX example says hello, is ready, captures in either order, and shuts down", SKIP, async () => {
  await started(async ({ process, end }) => {
    const status = await ask(end, "extension.v1.reportStatus");
    assert.deepEqual(Object.keys(status.result), ["state", "message", "version", "protocolVersion", "capabilities"]);
    assert.equal(status.result.state, "ready");
    assert.equal(status.result.protocolVersion, 1);
    assert.deepEqual(status.result.capabilities, ["runtime.v1"]);

    const picture = framebuffer(4, 3);
    const result = { encoding: "mxfb0001", byteLength: picture.length, width: 4, height: 3 };
    await oneRound(end, (id) => {
      end.send(ok(id, result));
      attach(end, id, picture);
    });
    await oneRound(end, (id) => {
      attach(end, id, picture);
      end.send(ok(id, result));
    });
    assert.equal((await statusOnce(end, ({ message }) => message === "watching no VM")).state, "ready");

    assert.deepEqual((await ask(end, "extension.v1.nope")).error, {
      code: -32601,
      message: "method not found: extension.v1.nope",
    });
    assert.equal((await ask(end, "extension.v1.shutdown")).result, null);
    assert.deepEqual(await process.ended, { code: 0, signal: null });
    assert.match(process.stdout(), /^\[\{"id": "vm-\\u00e9"\}\]\nvm-é frame 0: 4x3, crc32 [0-9a-f]{8}\n\[\]\n/);
  });
});

test("the Python MX example is degraded while captures fail, and ready again", SKIP, async () => {
  await started(async ({ end }) => {
    const picture = framebuffer(2, 2);
    const failing = async (answer: (id: number) => void) => {
      const list = await end.pick(method("host.v1.listVms"));
      end.send(ok(list.id, [{ id: "vm" }]));
      answer((await end.pick(method("host.v1.captureFramebuffer"))).id);
      return (await statusOnce(end, ({ state }) => state === "degraded")).message;
    };
    assert.match(
      await failing((id) => end.send({ jsonrpc: "2.0", id, error: { code: -32602, message: "unknown VM" } })),
      /unknown VM/,
    );
    await oneRound(end, (id) => {
      end.send(ok(id, { encoding: "mxfb0001", byteLength: picture.length }));
      attach(end, id, picture);
    });
    await statusOnce(end, ({ state }) => state === "ready");
    const message = await failing((id) => {
      end.send(ok(id, { encoding: "mxfb0001", byteLength: 9 }));
      attach(end, id, picture);
    });
    assert.match(message, /asked for 9 bytes/);
  });
});

test("[X-14] the Python MX example ends with a reason when its hello is refused or not understood", SKIP, async () => {
  const answers: readonly (readonly [answer: Json, said: RegExp])[] = [
    [
      { error: { code: -32602, message: "the token t0ken is not the one issued for this extension" } },
      /^hello failed: the token \[token\] is not the one issued for this extension \(-32602\)$/m,
    ],
    [{}, /^hello failed: the host answered null, not version 1$/m],
    [{ result: { protocolVersion: 2 } }, /^hello failed: the host answered \{"protocolVersion": 2\}, not version 1$/m],
  ];
  for (const [answer, said] of answers) {
    await dialled(async ({ process, end }) => {
      const hello = await end.json();
      end.send({ jsonrpc: "2.0", id: hello.id, ...answer });
      assert.deepEqual(await process.ended, { code: 1, signal: null });
      assert.match(process.stderr(), said);
      assert.doesNotMatch(process.stderr(), /t0ken|Traceback/);
    });
  }
});

test("the Python MX example ends with the end of its socket, and on a frame that cannot be", SKIP, async () => {
  await started(async ({ process, end }) => {
    end.destroy();
    assert.deepEqual(await process.ended, { code: 1, signal: null });
    assert.match(process.stderr(), /connection lost/);
  });
  await started(async ({ process, end }) => {
    void end.write(Buffer.alloc(4));
    assert.deepEqual(await process.ended, { code: 1, signal: null });
    assert.match(process.stderr(), /a frame of 0 bytes/);
  });
  await started(async ({ process, end }) => {
    void end.write(frame(1, Buffer.from([0, 0, 0])));
    assert.deepEqual(await process.ended, { code: 1, signal: null });
    assert.match(process.stderr(), /malformed attachment of 3 bytes/);
  });
});

test("the Python MX example skips a kind it does not know, and answers what is no message", SKIP, async () => {
  await started(async ({ end }) => {
    void end.write(frame(9, Buffer.from("whatever")));
    void end.write(frame(0, Buffer.from("{bad")));
    assert.equal((await end.pick((message) => message.id === null)).error.code, -32700);
    void end.write(frame(0, Buffer.from("[]")));
    assert.equal((await end.pick((message) => message.id === null)).error.code, -32600);
    assert.equal((await ask(end, "extension.v1.reportStatus")).result.state, "ready");
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
