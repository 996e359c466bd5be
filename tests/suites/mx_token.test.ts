/** The token: who shows it, one session for it, and where it never stands (M-15, X-14), over real sockets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { frame, type Json } from "../support/messages.ts";
import { connectTo, type RawEnd } from "../support/mx.ts";
import { openGate, openHost, refusedWith } from "../support/mx_sessions.ts";

test("[M-15] [X-12] [B15] a wrong token is refused in the document's words, closes that socket only, and does not use up the place", async (t) => {
  const gate = await openGate(t);
  const { token } = gate;
  const wrong = [
    "",
    "x",
    token.slice(0, -1),
    `${token}0`,
    `${token}\0`,
    token.toUpperCase(),
    token.replace(/.$/, (c) => (c === "0" ? "1" : "0")),
    "é".repeat(64),
    "0".repeat(60_000),
  ];
  for (const each of wrong) {
    assert.deepEqual(await refusedWith(await gate.connect(), gate.hello({ token: each })), {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32602, message: "hello token is not the token issued for this extension" },
    });
  }
  const end = await gate.greeted();
  // While a session lives, a stranger's guess does not hurt it.
  await refusedWith(await gate.connect(), gate.hello({ token: "guess" }));
  assert.ok((await end.ask(2, "host.v1.listVms")).result);
  end.destroy();
});

test("[X-14] [B15] one session lives at a time: a second valid hello is refused with -32600, and may come when the first has ended", async (t) => {
  const gate = await openGate(t);
  const first = await gate.greeted();
  const session = await gate.sessions.next();
  const { error } = await refusedWith(await gate.connect(), gate.hello());
  assert.equal(error.code, -32600);
  assert.match(error.message, /com\.example\.one has a live session already/);
  assert.ok((await first.ask(2, "host.v1.listVms")).result);
  first.socket.end();
  await session.closed;
  const second = await gate.greeted();
  assert.notEqual((await gate.sessions.next()).sessionId, session.sessionId);
  second.destroy();
});

test("[X-14] a token is 32 random bytes of its own, and dies with the gate", async (t) => {
  const other = await openGate(t);
  const gate = await openGate(t);
  assert.match(gate.token, /^[0-9a-f]{64}$/);
  assert.notEqual(gate.token, other.token);
  const { error } = await refusedWith(await gate.connect(), gate.hello({ token: other.token }));
  assert.equal(error.code, -32602);
  const end = await gate.greeted();
  await gate.gate.close();
  await end.ended;
  // The listener is still there, and takes nobody in.
  const late = await gate.connect();
  late.send(gate.hello());
  await late.ended;
  assert.equal(late.frames.all.length, 0);
  assert.equal(gate.sessions.all.length, 1);
});

test("[M-16] [X-14] every digit of a session's 8 bytes and of a token's 32 is random", async (t) => {
  const gate = await openGate(t);
  const sessions: string[] = [];
  const tokens: string[] = [];
  for (let i = 0; i < 10; i++) {
    const end = await gate.greeted();
    const session = await gate.sessions.next();
    sessions.push(session.sessionId.slice(-16));
    end.destroy();
    await session.closed;
    tokens.push((await openGate(t)).token);
  }
  // That ten are the same by chance happens once in 16 to the ninth.
  for (const all of [sessions, tokens]) {
    for (const at of all[0]!.split("").keys())
      assert.ok(new Set(all.map((each) => each[at])).size > 1, `${at} of ${all}`);
  }
});

test("[X-14] [B15] the token stands in no error, diagnostic, answer or printed object, whatever is sent", async (t) => {
  const gate = await openGate(t);
  const hello = JSON.stringify(gate.hello());
  const shown: string[] = [];
  const { token } = gate;
  const write = (end: RawEnd, text: string) => end.write(frame(0, text));
  const at = hello.indexOf(token);
  // Cut in the middle of the token, spoiled right behind it, of a wrong shape, in a batch.
  for (const text of [
    hello.slice(0, at + 40),
    hello.slice(0, at + 40).replace('"token"', String.raw`"tok\u0065n"`),
    hello.replace(`${token}"`, `${token}"x`),
    hello.replace('"2.0"', '"1.0"'),
    `[${hello}]`,
    `"${token}"`,
    hello.replace('"host.v1.hello"', `"${"host.v1.other"}"`),
  ]) {
    const end = await gate.connect();
    await write(end, text);
    await end.ended;
    shown.push(...end.frames.all.map(({ body }) => body.toString()));
  }
  const end = await gate.greeted();
  const session = await gate.sessions.next();
  for (const text of [hello.slice(0, at + 40), hello.replace('"2.0"', '"1.0"'), `[${hello}]`]) {
    await write(end, text);
    shown.push(JSON.stringify(await end.json()));
  }
  // An answer nobody asked for, and one that answers nothing, with the token inside.
  await write(end, JSON.stringify({ jsonrpc: "2.0", id: 77, result: token }));
  await write(end, JSON.stringify({ id: 78, result: { x: token } }));
  assert.ok((await end.ask(3, "host.v1.listVms")).result);
  shown.push(
    inspect(gate.gate, { depth: 9, showHidden: true }),
    JSON.stringify(gate.gate),
    inspect(session, { depth: 9, showHidden: true }),
  );
  end.destroy();
  shown.push(String((await session.closed).stack));
  for (const error of gate.refused.all) shown.push(inspect(error, { depth: 9 }));
  for (const diagnostic of gate.diagnostics.all) shown.push(inspect(diagnostic));
  assert.ok(gate.refused.all.length >= 5);
  assert.ok(gate.diagnostics.all.length >= 4);
  // Pieces of it count too.
  const pieces = Array.from({ length: token.length - 7 }, (_, i) => token.slice(i, i + 8));
  for (const text of shown) for (const piece of pieces) assert.ok(!text.includes(piece), text);
});

test("[X-14] [M-18] a token that an extension says itself, in its status or in an answer, is blotted out", async (t) => {
  const gate = await openGate(t);
  const { token } = gate;
  const end = await gate.greeted();
  const session = await gate.sessions.next();
  const answered = async (members: Json) => {
    const status = session.reportStatus().catch((error: unknown) => error);
    const { id } = await end.json();
    end.send({ jsonrpc: "2.0", id, ...members });
    return inspect(await status, { depth: 9 });
  };
  const told = { state: "ready", protocolVersion: 1 };
  for (const members of [
    { result: { ...told, message: `here with ${token}`, version: token, capabilities: [token] } },
    { error: { code: -32000, message: `no good: ${token}`, data: { token, list: [token] } } },
    { error: `no good: ${token}` },
    { error: { code: token, message: token } },
    { result: { ...told, state: token } },
  ]) {
    const shown = await answered(members);
    assert.ok(!shown.includes(token.slice(0, 8)), shown);
  }
  const whole = { ...told, message: "[token] here", version: "1", capabilities: [] };
  assert.match(await answered({ result: { ...whole, message: `${token} here` } }), /message: '\[token\] here'/);
  const { error } = await end.ask("again", `host.v1.${token}`);
  assert.equal(error.message, "method not found: host.v1.[token]");
  end.destroy();
});

test("[X-14] [M-15] an extension keeps its token out of its errors, even when the host repeats it", async (t) => {
  const host = await openHost(t);
  const token = "5ec7e75ec7e75ec7e75ec7e75ec7e7";
  const refused = assert.rejects(connectTo(host.address, { token }), (error: Error) => {
    assert.match(error.message, /hello as com\.example\.one failed: .*bad token \[token\] \(-32602\)/);
    assert.ok(!inspect(error, { depth: 9 }).includes(token));
    return true;
  });
  const end = await host.connections.next();
  const hello = await end.json();
  assert.equal(hello.params.token, token);
  end.send({ jsonrpc: "2.0", id: hello.id, error: { code: -32602, message: `bad token ${token}`, data: { token } } });
  await refused;
  await end.ended;
});
