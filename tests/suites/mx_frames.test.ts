/** Frames over real sockets, against bytes written and read by hand (M-01, M-02, X-13). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeTime } from "../support/fake_time.ts";
import { attachmentBody, frame, jsonFrame } from "../support/messages.ts";
import { openGate, openHost } from "../support/mx_sessions.ts";
import { rejected } from "../support/rejected.ts";

const HEADER_CUTS = [1, 2, 3, 4, 5];

test("[M-01] a frame is read whole, however its bytes are cut", async (t) => {
  const gate = await openGate(t);
  for (const cut of HEADER_CUTS) {
    const end = await gate.connect();
    const bytes = jsonFrame(gate.hello());
    await end.write(bytes.subarray(0, cut));
    await end.write(bytes.subarray(cut));
    assert.equal((await end.json()).result.protocolVersion, 1);
    end.destroy();
    await (await gate.sessions.next()).closed;
  }
  const end = await gate.connect();
  for (const byte of jsonFrame(gate.hello())) await end.write(Buffer.from([byte]));
  assert.equal((await end.json()).result.protocolVersion, 1);
  // Several in one write come out as several.
  await end.write(Buffer.concat([2, 3, 4].map((id) => jsonFrame({ jsonrpc: "2.0", id, method: "host.v1.listVms" }))));
  assert.deepEqual([(await end.json()).id, (await end.json()).id, (await end.json()).id], [2, 3, 4]);
  end.destroy();
});

test("[M-01] [M-02] [B2] what we write has its length in bytes and the kind byte counted, in both roles", async (t) => {
  const gate = await openGate(t);
  const host = await openHost(t);
  const name = "ü😀€";
  const end = await gate.greeted();
  end.send({ jsonrpc: "2.0", id: 2, method: "host.v1.captureFramebuffer", params: { vmId: name } });
  const answer = await end.frames.next();
  assert.equal(answer.kind, 0);
  assert.equal(answer.length, Buffer.byteLength(answer.body.toString()) + 1);
  assert.ok(answer.length > answer.body.toString().length + 1, "there are characters of several bytes");
  assert.match(JSON.parse(answer.body.toString()).error.message, /ü😀€/);
  end.destroy();

  const { client, end: hostEnd } = await host.session();
  const capturing = client.captureFramebuffer(name);
  capturing.catch(() => {});
  const request = await hostEnd.frames.next();
  assert.equal(request.length, Buffer.byteLength(request.body.toString()) + 1);
  assert.deepEqual(JSON.parse(request.body.toString()).params, { vmId: name });
  await client.close();
});

test("[M-01] [B4] a length is unsigned: 0x80000000 is two gigabytes and not less than nothing", async (t) => {
  const gate = await openGate(t);
  const host = await openHost(t);
  const stranger = await gate.connect();
  await stranger.write(Buffer.from([0x80, 0, 0, 0]));
  await stranger.ended;
  assert.match(
    (await gate.refused.next()).message,
    /claims 2147483648 bytes, which exceeds maxHelloBytes \(65536 bytes\)/,
  );

  const end = await gate.greeted();
  const session = await gate.sessions.next();
  await end.write(Buffer.from([0x80, 0, 0, 0]));
  const reason = await session.closed;
  assert.equal(reason.code, "limit");
  assert.match(reason.message, /claims 2147483648 bytes, which exceeds maxMessageBytes \(67108864 bytes\)/);
  await end.ended;

  const { client, end: hostEnd } = await host.session();
  await hostEnd.write(Buffer.from([0x80, 0, 0, 0]));
  assert.match((await client.closed).message, /claims 2147483648 bytes, which exceeds maxMessageBytes/);
});

test("[X-13] [B4] an empty payload ends the connection with an error that shows where, in both roles", async (t) => {
  const gate = await openGate(t);
  const host = await openHost(t);
  const stranger = await gate.connect();
  await stranger.write(Buffer.alloc(4));
  await stranger.ended;
  assert.match(
    (await gate.refused.next()).message,
    /frame at byte 0 claims a payload of 0 bytes; it begins with 00 00 00 00/,
  );

  const end = await gate.greeted();
  const session = await gate.sessions.next();
  const before = jsonFrame(gate.hello()).length;
  await end.write(Buffer.alloc(64));
  const reason = await session.closed;
  assert.equal(reason.code, "protocol");
  assert.match(reason.message, new RegExp(`frame at byte ${before} claims a payload of 0 bytes`));
  await end.ended;

  const { client, end: hostEnd } = await host.session();
  await hostEnd.write(Buffer.alloc(64));
  assert.equal((await client.closed).code, "protocol");
});

test("[B4] [B10] [M-07] a payload of only a kind byte is an empty message, which is no JSON, and costs only itself", async (t) => {
  const gate = await openGate(t);
  const end = await gate.greeted();
  await end.write(frame(0, ""));
  const answer = await end.json();
  assert.equal(answer.id, null);
  assert.equal(answer.error.code, -32700);
  assert.ok(Array.isArray((await end.ask(2, "host.v1.listVms")).result));
  end.destroy();
});

test("[A14] [A4] a byte that is no UTF-8 is told and costs that character only, a byte order mark nothing, in both roles", async (t) => {
  const gate = await openGate(t);
  const host = await openHost(t);
  const seen: string[] = [];
  const { client, end: hostEnd } = await host.session({ onDiagnostic: ({ code }) => seen.push(code) });
  for (const end of [await gate.greeted(), hostEnd]) {
    const body = Buffer.from(`\ufeff${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "a#b" })}`);
    body[body.indexOf("#")] = 0x97;
    await end.write(frame(0, body));
    const { error } = await end.json();
    assert.deepEqual([error.code, error.message], [-32601, "method not found: a\ufffdb"]);
  }
  assert.deepEqual(
    [gate.diagnostics.all.map(({ code }) => code), seen],
    [["not-utf8", "refused-request"], ["not-utf8"]],
  );
  await client.close();
});

test("[B1] [X-13] text where a length should be is refused at once, and the error says that it looks like text", async (t) => {
  const gate = await openGate(t);
  const host = await openHost(t);
  for (const text of ["GET / HTTP/1.1\r\n\r\n", "data: hi\n\n"]) {
    const end = await gate.connect();
    end.socket.write(text);
    await end.ended;
    const reason = await gate.refused.next();
    assert.equal(reason.code, "limit");
    assert.match(reason.message, /looks like text/);
    assert.ok(reason.message.includes(JSON.stringify(text.slice(0, 4))), reason.message);
  }
  const { client, end } = await host.session();
  end.socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
  const reason = await client.closed;
  assert.match(reason.message, /"HTTP".*looks like text/);
});

test("[X-13] [B10] a frame of an unknown kind is skipped with a diagnostic, and the next one is read, in both roles", async (t) => {
  const gate = await openGate(t);
  const host = await openHost(t);
  const end = await gate.connect();
  // Before the hello as well as after it.
  await end.write(frame(7, "what is this"));
  assert.equal((await end.ask(1, "host.v1.hello", gate.hello().params)).result.protocolVersion, 1);
  await end.write(Buffer.concat([frame(7, Buffer.alloc(100_000)), frame(255, "")]));
  assert.ok((await end.ask(2, "host.v1.listVms")).result);
  assert.deepEqual(
    gate.diagnostics.all.map(({ code }) => code),
    ["unknown-kind", "unknown-kind", "unknown-kind"],
  );
  assert.match(gate.diagnostics.all[0]!.message, /unknown kind 7/);
  end.destroy();

  const seen: string[] = [];
  const { client, end: hostEnd } = await host.session({ onDiagnostic: ({ code }) => seen.push(code) });
  await hostEnd.write(frame(2, "later"));
  hostEnd.send({ jsonrpc: "2.0", id: 1, method: "extension.v1.reportStatus", params: null });
  assert.equal((await hostEnd.json()).result.state, "ready");
  assert.deepEqual(seen, ["unknown-kind"]);
  await client.close();
});

test("[X-13] [B10] a malformed attachment head ends that connection alone, with an error that shows where and what, in both roles", async (t) => {
  const good = attachmentBody(1, "framebuffer", Buffer.alloc(4));
  const roleTooLong = Buffer.from(good);
  roleTooLong.writeUInt32BE(0xffff_ffff, 9);
  const notUtf8 = attachmentBody("ab", "framebuffer", Buffer.alloc(0));
  notUtf8[5] = 0xff;
  const cases: [body: Buffer, why: RegExp][] = [
    [
      Buffer.alloc(0),
      /^attachment in the frame at byte \d+ is malformed: it is empty: write it as id tag, role, bytes$/,
    ],
    [
      Buffer.from([2, 0, 0]),
      /its id tag is 2, neither 0 \(integer\) nor 1 \(string\); it begins with 02 00 00: write it as id tag, role, bytes$/,
    ],
    [good.subarray(0, 8), /ends inside its integer id/],
    [good.subarray(0, 9), /ends inside the length of its role/],
    [good.subarray(0, 11), /ends inside the length of its role/],
    [good.subarray(0, 15), /its role claims 11 bytes, but 2 are left/],
    [roleTooLong, /its role claims 4294967295 bytes, but 15 are left/],
    [notUtf8, /its string id is not UTF-8/],
    [Buffer.from('{"jsonrpc":"2.0"}'), /looks like text, so JSON was probably sent as kind 1/],
  ];
  const gate = await openGate(t);
  const host = await openHost(t);
  const at = jsonFrame(gate.hello()).length;
  for (const [body, why] of cases) {
    const end = await gate.greeted();
    const session = await gate.sessions.next();
    await end.write(frame(1, body));
    const reason = await session.closed;
    assert.equal(reason.code, "protocol");
    assert.match(reason.message, why);
    assert.ok(reason.message.includes(`frame at byte ${at}`), reason.message);
    await end.ended;

    const { client, end: hostEnd } = await host.session();
    await hostEnd.write(frame(1, body));
    const clientReason = await client.closed;
    assert.equal(clientReason.code, "protocol");
    assert.match(clientReason.message, why);
    await hostEnd.ended;
  }
  // The gate lives.
  const end = await gate.greeted();
  assert.ok((await end.ask(2, "host.v1.listVms")).result);
  end.destroy();
});

test("[B9] [X-13] an end inside a frame is an error that says so, and one between frames is not, in both roles", async (t) => {
  const gate = await openGate(t);
  const host = await openHost(t);
  for (const bytes of [
    Buffer.from([0, 0]),
    jsonFrame({ jsonrpc: "2.0", id: 2, method: "x" }).subarray(0, 20),
    frame(1, Buffer.alloc(100)).subarray(0, 50),
  ]) {
    const end = await gate.greeted();
    const session = await gate.sessions.next();
    const pending = rejected(session.peer.request("extension.v1.anything", null, { timeoutMs: 0 }));
    end.socket.end(bytes);
    const reason = await session.closed;
    assert.equal(reason.code, "protocol");
    assert.match(reason.message, new RegExp(`stream ended after ${bytes.length} `));
    assert.equal(await pending, reason);

    const { client, end: hostEnd } = await host.session();
    const listing = assert.rejects(client.listVms(), { code: "protocol" });
    hostEnd.socket.end(bytes);
    assert.match((await client.closed).message, /stream ended after/);
    await listing;
  }
  const end = await gate.greeted();
  const session = await gate.sessions.next();
  end.socket.end();
  assert.equal((await session.closed).code, "disconnected");
});

test("[B9] half a frame and then silence is ended by the hello deadline", async (t) => {
  const gate = await openGate(t, { helloTimeoutMs: 50 });
  const hello = jsonFrame(gate.hello());
  const half = hello.subarray(0, hello.length >> 1);
  // It is told when it is skipped, and then the half behind it has come too.
  const skipped = frame(9, "skipped");
  await FakeTime.run(async (time) => {
    const end = await gate.connect();
    await gate.accepted.next();
    await end.write(Buffer.concat([skipped, half]));
    await gate.diagnostics.next();
    await time.pass(50);
    await end.ended;
  });
  assert.equal(
    (await gate.refused.next()).message,
    `no accepted host.v1.hello within 50 ms of connecting; the frame at byte ${skipped.length} is incomplete: ${half.length} of ${hello.length} bytes have arrived`,
  );
});

test("[M-01] [X-13] a length that was written little-endian is refused with a guess at what it was to be", async (t) => {
  const gate = await openGate(t);
  for (const [bytes, advice] of [
    [[0xba, 0, 0, 0], "raise maxHelloBytes or send smaller frames, or write the length big-endian if it should be 186"],
    [[0, 1, 1, 0], "raise maxHelloBytes or send smaller frames"],
    [[0x7f, 0xff, 0xff, 0xff], "raise maxHelloBytes or send smaller frames"],
  ] as const) {
    const end = await gate.connect();
    await end.write(Buffer.from(bytes));
    await end.ended;
    assert.ok((await gate.refused.next()).message.endsWith(`: ${advice}`));
  }
});
