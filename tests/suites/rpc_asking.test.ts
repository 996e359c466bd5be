/** A peer that asks: the other end is plain text, and answers as real and as broken peers do. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { RpcError } from "../../src/rpc/errors.ts";
import { pair, works } from "../support/asking.ts";
import { failsWith, rejected } from "../support/rejected.ts";
import { endWires, FRAMES, LINES, MEMORY } from "../support/wire.ts";

after(endWires);

for (const transport of [MEMORY, LINES, FRAMES]) {
  const { name } = transport;
  describe(`asking over ${name}`, () => {
    test(`[D-03] [X-03] requests say jsonrpc 2.0 and count their ids from 1, over ${name}`, async () => {
      const { peer, wire } = await pair(transport);
      const answers = [peer.request("a"), peer.request("b", null), peer.request("c", { x: [1] })];
      assert.deepEqual(await wire.next(), { jsonrpc: "2.0", id: 1, method: "a" });
      assert.deepEqual(await wire.next(), { jsonrpc: "2.0", id: 2, method: "b", params: null });
      assert.deepEqual(await wire.next(), { jsonrpc: "2.0", id: 3, method: "c", params: { x: [1] } });
      wire.send(
        '{"jsonrpc":"2.0","id":2,"result":"second"}',
        '{"result":"first","id":1,"jsonrpc":"2.0"}',
        '{"jsonrpc":"2.0","id":3,"error":{"code":-32001,"message":"no","data":[1]}}',
      );
      assert.deepEqual(await Promise.all(answers.slice(0, 2)), ["first", "second"]);
      const error = await rejected(answers[2]!);
      assert.ok(error instanceof RpcError);
      assert.deepEqual([error.code, error.message, error.data], [-32001, "no", [1]]);
      await peer.notify("told", { y: 1 });
      assert.deepEqual(await wire.next(), { jsonrpc: "2.0", method: "told", params: { y: 1 } });
      await peer.close();
    });

    test(`[C1] [D-04] an answer with the id as text fails its call at once and clearly, over ${name}`, async () => {
      const both = await pair(transport);
      const answer = both.peer.request("a");
      await both.wire.next();
      both.wire.send('{"jsonrpc":"2.0","id":"1","result":1}');
      await failsWith(answer, "protocol", /request 1 was answered with the id "1", a string/);
      await works(both);
      both.wire.send('{"jsonrpc":"2.0","id":"other","result":1}', '{"jsonrpc":"2.0","id":99}');
      await works(both);
      assert.deepEqual(
        both.diagnostics.map(({ code }) => code),
        ["unexpected-answer", "unexpected-answer"],
      );
      await both.peer.close();
    });

    test(`[C24] [X-01] each shape of an answer has its meaning, over ${name}`, async () => {
      const both = await pair(transport);
      const { peer, wire } = both;
      const answered = async (members: string) => {
        const answer = peer.request("a");
        const { id } = await wire.next();
        wire.send(`{"jsonrpc":"2.0","id":${id}${members}}`);
        return answer;
      };
      assert.equal(await answered(',"result":null'), null);
      assert.equal(await answered(',"result":0'), 0);
      assert.equal(await answered(',"result":false'), false);
      await failsWith(answered(""), "protocol", /the answer to a has neither a result nor an error/);
      await failsWith(answered(',"result":1,"error":null'), "protocol", /both a result and an error/);
      await failsWith(
        answered(',"result":1,"error":{"code":1,"message":"m"}'),
        "protocol",
        /both a result and an error/,
      );
      await failsWith(answered(',"error":"text"'), "protocol", /not a \{code, message\} object: "text"/);
      await failsWith(answered(',"error":null'), "protocol", /not a \{code, message\} object: null/);
      await failsWith(answered(',"error":{"message":"m"}'), "protocol", /not a \{code, message\} object/);
      await failsWith(answered(',"error":{"code":"1","message":"m"}'), "protocol", /not a \{code, message\} object/);
      await failsWith(answered(',"error":{"code":1}'), "protocol", /not a \{code, message\} object/);
      const error = await rejected(answered(',"error":{"code":1,"message":"m","data":null}'));
      assert.ok(error instanceof RpcError);
      assert.equal(error.data, null);
      await works(both);
      await peer.close();
    });

    test(`[D-03] an answer without jsonrpc 2.0 fails its call at once, over ${name}`, async () => {
      const both = await pair(transport);
      const answer = both.peer.request("a");
      await both.wire.next();
      both.wire.send('{"id":1,"result":1}');
      await failsWith(answer, "protocol", /without jsonrpc: "2.0"/);
      for (const members of ['"jsonrpc":"1.0"', '"error":{"code":1,"message":"no"}']) {
        const next = both.peer.request("b");
        const { id } = await both.wire.next();
        both.wire.send(`{"id":${id},${members}}`);
        await failsWith(next, "protocol", /without jsonrpc: "2.0"/);
      }
      await works(both);
      await both.peer.close();
    });

    test(`[C9] [X-04] an answer that comes after an abort, a timeout or twice is dropped without noise, over ${name}`, async () => {
      const both = await pair(transport);
      const { peer, wire } = both;
      const controller = new AbortController();
      const aborted = peer.request("a", undefined, { signal: controller.signal });
      await wire.next();
      controller.abort(new Error("enough"));
      assert.equal((await rejected(aborted)).message, "enough");
      const late = failsWith(peer.request("b", undefined, { timeoutMs: 1 }), "timeout", /no answer to b within 1 ms/);
      await wire.next();
      await late;
      wire.send(
        '{"jsonrpc":"2.0","id":1,"result":1}',
        '{"jsonrpc":"2.0","id":2,"result":1}',
        '{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}}',
        '{"jsonrpc":"2.0","id":2}',
      );
      await works(both);
      assert.deepEqual(both.diagnostics, []);
      await peer.close();
    });

    test(`[X-01] a second answer costs nothing and is a diagnostic that shows it, over ${name}`, async () => {
      const both = await pair(transport);
      const answer = both.peer.request("a");
      await both.wire.next();
      both.wire.send('{"jsonrpc":"2.0","id":1,"result":"one"}', '{"jsonrpc":"2.0","id":1,"result":"two"}');
      assert.equal(await answer, "one");
      await works(both);
      assert.deepEqual(
        both.diagnostics.map(({ code, message }) => `${code}: ${message}`),
        [
          String.raw`unexpected-answer: another answer to request 1: "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"two\"}"`,
        ],
      );
      await both.peer.close();
    });

    test(`[X-04] however many requests were given up, none of their late answers is a diagnostic, over ${name}`, async () => {
      const both = await pair(transport, { limits: { maxInFlight: 2 } });
      for (let id = 1; id <= 5; id++) {
        const controller = new AbortController();
        const aborted = both.peer.request("a", undefined, { signal: controller.signal });
        await both.wire.next();
        controller.abort(new Error("enough"));
        await rejected(aborted);
      }
      for (let id = 1; id <= 5; id++) both.wire.send(`{"jsonrpc":"2.0","id":${id},"result":1}`);
      await works(both);
      assert.deepEqual(both.diagnostics, []);
      await both.peer.close();
    });

    test(`[C8] [C16] [X-01] an error with id null is a diagnostic, a result with id null only while an answer is due, over ${name}`, async () => {
      const both = await pair(transport);
      const answer = both.peer.request("a");
      await both.wire.next();
      both.wire.send(
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}',
        '{"jsonrpc":"2.0","id":null,"result":{"status":"ok"}}',
        '{"jsonrpc":"2.0","id":1,"result":"fine"}',
        '{"jsonrpc":"2.0","id":null,"result":{"status":"gone"}}',
      );
      assert.equal(await answer, "fine");
      await works(both);
      const [first, second, ...more] = both.diagnostics.map(({ message }) => message);
      assert.match(first!, /the other side reports an error: .*what\?/);
      assert.match(second!, /an answer to a request that was never made: .*ok/);
      assert.deepEqual(more, []);
      assert.deepEqual(both.errors, []);
      await both.peer.close();
    });

    test(`[C12] an answer with NaN fails its call at once and says where, over ${name}`, async () => {
      const both = await pair(transport);
      for (const text of [
        '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"x":NaN}}',
        '{"result":{"x":NaN,"id":77},"jsonrpc":"2.0","id":ID}',
        '{"jsonrpc":"2.0","result":Infinity,"id":ID }',
      ]) {
        const answer = both.peer.request("a");
        const { id } = await both.wire.next();
        both.wire.send(text.replace("ID", String(id)));
        await failsWith(answer, "protocol", /invalid JSON in the message at offset \d+/);
      }
      assert.deepEqual(both.diagnostics, []);
      await works(both);
      await both.peer.close();
    });

    test(`[A6] [X-05] garbage costs itself only, is kept as it is and never answered, over ${name}`, async () => {
      const both = await pair(transport);
      const answer = both.peer.request("a");
      await both.wire.next();
      const garbage = [
        "started ok",
        "{",
        '{"jsonrpc"',
        '{"jsonrpc":"2.0","id":1,"resu',
        "[]",
        "null",
        '{"hello":1}',
        '{"jsonrpc":"1.0","method":"x","id":3}',
        // Log lines in JSON count requests too, and may come to the number of one that is in flight.
        '{"level":30,"id":1,"msg":"working"}',
        '{"level":"error","id":1,"error":"no luck, once more"}',
        '{"id":1,"error":{"stack":"Error: no luck"}}',
        '{"id":1,"error":null}',
      ];
      both.wire.send(...garbage, '{"jsonrpc":"2.0","id":1,"result":"good"}');
      assert.equal(await answer, "good");
      await works(both);
      assert.deepEqual(
        both.diagnostics.map(({ line }) => line),
        garbage,
      );
      await both.peer.close();
    });

    test(`[C14] [X-06] an answer that nests too deeply fails its call by name, over ${name}`, async () => {
      const both = await pair(transport);
      for (const levels of [1_000, 10_000, 200_000]) {
        const answer = both.peer.request("a");
        const { id } = await both.wire.next();
        both.wire.send(`{"jsonrpc":"2.0","id":${id},"result":${"[".repeat(levels)}${"]".repeat(levels)}}`);
        await failsWith(answer, "limit", /maxDepth \(1000 levels\)/);
      }
      await works(both);
      await both.peer.close();
    });
  });
}
