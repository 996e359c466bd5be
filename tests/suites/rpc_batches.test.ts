/** Batches, and requests and results past a limit, judged by the text that a peer sends. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { after, test } from "node:test";
import { Peer } from "../../src/rpc/peer.ts";
import { each, everywhere, here, provesQuiet } from "../support/answering.ts";
import type { Json } from "../support/messages.ts";
import { DEEP, testHandlers } from "../support/test_peer.ts";
import { endWires, FRAMES, LINES, MEMORY } from "../support/wire.ts";

after(endWires);

for (const [name, start] of everywhere.filter(([name]) => name !== FRAMES.name)) {
  test(`[C7] [X-02] a batch is answered as one array, with what is wrong in its place, over ${name}`, async () => {
    const wire = await start();
    await each(wire, async () => {
      const answersTo = async (text: string): Promise<Json> => {
        wire.send(text);
        return wire.next();
      };
      assert.equal((await answersTo("[]")).error.code, -32600);
      assert.equal((await answersTo("[]")).id, null);
      const one = await answersTo("[1]");
      assert.deepEqual([one.length, one[0].id, one[0].error.code], [1, null, -32600]);
      assert.deepEqual(
        (await answersTo("[null,null]")).map((each: Json) => each.error.code),
        [-32600, -32600],
      );
      assert.equal((await answersTo("[[]]"))[0].error.code, -32600);
      wire.send(
        '[{"jsonrpc":"2.0","method":"note"}]',
        '[{"jsonrpc":"2.0","method":"throw"},{"jsonrpc":"2.0","method":"reject"}]',
      );
      await provesQuiet(wire);
      const mixed = await answersTo(
        '[{"jsonrpc":"2.0","id":1,"method":"later","params":"a"},{"jsonrpc":"2.0","method":"note"},{"foo":1},{"jsonrpc":"2.0","id":"2","method":"nope"},{"jsonrpc":"2.0","id":2,"method":"echo","params":"b"}]',
      );
      const byId = new Map<unknown, Json>(mixed.map((each: Json) => [each.id, each]));
      assert.equal(mixed.length, 4);
      assert.equal(byId.get(1).result, "a");
      assert.equal(byId.get(2).result, "b");
      assert.equal(byId.get("2").error.code, -32601);
      assert.equal(byId.get(null).error.code, -32600);
    });
  });
}

test(`[C7] [X-02] where a message is one object, a batch gets one -32600 with id null, over frames`, async () => {
  const [, start] = here[2]!;
  const wire = await start();
  await each(wire, async () => {
    for (const text of [
      "[]",
      "[1]",
      '[{"jsonrpc":"2.0","method":"note"}]',
      '[{"jsonrpc":"2.0","id":1,"method":"echo"}]',
    ]) {
      wire.send(text);
      const answer = await wire.next();
      assert.deepEqual([answer.id, answer.error.code], [null, -32600], text);
    }
    assert.equal((await wire.ask(1, "notes")).result, 0);
  });
});

for (const [name, start] of here.filter(([name]) => name !== FRAMES.name)) {
  const batchOf = (...requests: readonly (readonly [number, string, unknown])[]) =>
    JSON.stringify(requests.map(([id, method, params]) => ({ jsonrpc: "2.0", id, method, params })));

  test(`[X-02] [X-06] answers to a batch that are too long together are errors that name the limit, over ${name}`, async () => {
    const wire = await start({ maxMessageBytes: 2_000 });
    await each(wire, async () => {
      const echo = (id: number, length: number) => [id, "echo", "é".repeat(length)] as const;
      // Each asks for what fits alone: what the batch is written in is shorter than what comes of it.
      const requests = [echo(1, 10), ...[2, 3, 4, 5].map((id) => [id, "many", 600] as const), echo(6, 10)];
      wire.send(batchOf(...requests));
      const text = (await wire.nextText()) ?? "";
      assert.ok(Buffer.byteLength(text) <= 2_000, String(text.length));
      const answers = (JSON.parse(text) as Json[]).sort((a, b) => a.id - b.id);
      assert.deepEqual(
        answers.map(({ id }) => id),
        [1, 2, 3, 4, 5, 6],
      );
      assert.equal(answers[0].result, "é".repeat(10));
      const refused = answers.filter(({ error }) => error);
      assert.ok(refused.length > 0 && refused.length < 6);
      for (const { error } of refused) {
        assert.equal(error.code, -32603);
        assert.match(error.message, /maxMessageBytes \(2000 bytes\)/);
      }
      // So many that not even their errors have room.
      wire.send(batchOf(...Array.from({ length: 35 }, (_, id) => [id, "", 0] as const)));
      const { id, error } = await wire.next();
      assert.deepEqual([id, error.code], [null, -32603]);
      assert.match(error.message, /maxMessageBytes \(2000 bytes\)/);
    });
  });

  test(`[X-02] [X-06] the array around the answers to a batch is one of the levels of maxDepth, over ${name}`, async () => {
    const wire = await start({ maxDepth: 6 });
    await each(wire, async () => {
      for (const [levels, code] of [
        [4, undefined],
        [5, -32603],
      ] as const) {
        wire.send(batchOf([1, "deep", levels]));
        assert.equal((await wire.next())[0].error?.code, code, String(levels));
      }
      assert.ok((await wire.ask(1, "deep", 5)).result);
    });
  });
}

for (const [name, start] of here) {
  test(`[X-06] 1,024 requests may be in flight where nobody says how many, over ${name}`, async () => {
    const wire = await start();
    await each(wire, async () => {
      for (let id = 1; id <= 1_024; id++) wire.request(id, "hold");
      const { id, error } = await wire.ask("one more", "echo");
      assert.deepEqual([id, error.code], ["one more", -32000]);
      assert.match(error.message, /in flight than maxInFlight \(1024\)/);
      wire.notify("release", { id: 1_024 });
      assert.equal((await wire.next()).id, 1_024);
      assert.equal((await wire.ask("again", "echo", 1)).result, 1);
    });
  });

  test(`[X-06] requests past maxInFlight are refused by name, and the others go on, over ${name}`, async () => {
    const wire = await start({ maxInFlight: 3 });
    await each(wire, async () => {
      for (const id of [1, 2, 3]) wire.request(id, "hold");
      const refused = await wire.ask(4, "echo");
      assert.deepEqual([refused.id, refused.error.code], [4, -32000]);
      assert.match(refused.error.message, /in flight than maxInFlight \(3\)/);
      wire.notify("release", { id: 2, value: "second" });
      assert.deepEqual([(await wire.next()).id, (await wire.ask(5, "echo", 5)).result], [2, 5]);
    });
  });

  test(`[X-06] a message over maxMessageBytes ends the connection with an error that names the limit, over ${name}`, async () => {
    let reason: Error | undefined;
    const transport = [MEMORY, LINES, FRAMES].find((each) => each.name === name)!;
    const limits = { maxMessageBytes: 1_000 };
    const ended = new Promise<void>((resolve) => {
      void transport
        .connect((channel) => {
          channel.setMaxMessageBytes(1_000);
          new Peer(channel, { ...testHandlers(), closed: (error) => resolve(void (reason = error)) }, { limits });
        }, limits)
        .then((wire) => wire.request(1, "echo", "x".repeat(2_000)));
    });
    await ended;
    assert.equal((reason as { code?: string } | undefined)?.code, "limit");
    assert.match(String(reason), /maxMessageBytes\W+1000/);
  });

  test(`[X-06] [C14] a result longer or deeper than a limit is an error of its request, over ${name}`, async () => {
    const wire = await start({ maxMessageBytes: 1_000, maxDepth: 5 });
    await each(wire, async () => {
      assert.equal((await wire.ask(1, "echo", "x".repeat(900))).result.length, 900);
      const long = await wire.ask(2, "unsendable", { kind: DEEP });
      assert.deepEqual([long.id, long.error.code], [2, -32603]);
    });
  });
}
