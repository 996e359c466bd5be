/** What is done once must not be done once for each: counted in bytes and in questions, not in seconds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryPair } from "../../src/rpc/memory.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { FakeTime } from "../support/fake_time.ts";
import { Inbox } from "../support/inbox.ts";
import type { Json } from "../support/messages.ts";
import { rejected } from "../support/rejected.ts";

test("the answers to a batch that are too long together are measured once each", async () => {
  const ENTRIES = 200;
  const answer = "x".repeat(300);
  const [asking, answering] = memoryPair();
  new Peer(answering, { request: () => answer }, { limits: { maxMessageBytes: 50_000 } });
  const answers = new Inbox<Json[]>();
  const nothing = () => {};
  asking.open({
    text: (text) => answers.push(JSON.parse(text)),
    binary: nothing,
    diagnostic: nothing,
    closed: nothing,
  });
  let measured = 0;
  const { encode } = TextEncoder.prototype;
  TextEncoder.prototype.encode = function (text) {
    measured += text?.length ?? 0;
    return encode.call(this, text);
  };
  let all: Json[];
  try {
    const batch = Array.from({ length: ENTRIES }, (_, id) => ({ jsonrpc: "2.0", id, method: "fill" }));
    asking.send(JSON.stringify(batch));
    all = await answers.next();
  } finally {
    TextEncoder.prototype.encode = encode;
  }
  const given = all.filter(({ result }) => result === answer).length;
  assert.equal(all.length, ENTRIES);
  assert.ok(given > 50 && given < 150, `${given} of them fit`);
  assert.ok(measured < ENTRIES * answer.length * 3, `${measured} characters were measured`);
});

test("[X-05] whether a text that is no message may hold a secret is asked once for all that is told of it", async () => {
  const [near, far] = memoryPair();
  const asked: string[] = [];
  const peer = new Peer(near, {}, { answersInvalid: false, secret: (text) => asked.push(text) > 0 });
  const calls = Promise.all([1, 2].map(() => rejected(peer.request("get"))));
  const texts = [
    "no JSON",
    "[]",
    '{"jsonrpc":"2.0","id":9,"result":0}',
    '{"jsonrpc":"2.0","id":1,"result":oops}',
    '{"id":2,"result":0}',
  ];
  for (const text of texts) far.send(text);
  for (const error of await calls) assert.match(String(error), /not shown: it may hold a secret/);
  assert.deepEqual(asked, texts);
  await peer.close();
});

test("calls that run out of time together ask once what of a message has come", async () => {
  const [channel, silent] = memoryPair();
  silent.open({ text() {}, binary() {}, diagnostic() {}, closed() {} });
  let asked = 0;
  channel.unfinished = () => {
    asked++;
    return "half a message";
  };
  await FakeTime.run(async (time) => {
    const peer = new Peer(channel, {}, { timeoutMs: 20 });
    const calls = Promise.all(Array.from({ length: 50 }, () => rejected(peer.request("late"))));
    await time.pass(20);
    for (const error of await calls) {
      assert.match(String(error), /no answer to late within 20 ms \(it was sent\); half a message$/);
    }
    assert.equal(asked, 1);
    await peer.close();
  });
});
