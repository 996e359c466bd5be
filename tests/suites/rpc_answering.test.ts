/** A peer that is asked: over memory, over a socket, and as a process of its own, judged by the text it sends. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { each, everywhere, provesQuiet } from "../support/answering.ts";
import { UNSENDABLE, WITHOUT_TEXT } from "../support/test_peer.ts";
import { endWires } from "../support/wire.ts";

after(endWires);

for (const [name, start] of everywhere) {
  describe(`answering over ${name}`, () => {
    test(`[D-03] every answer says jsonrpc 2.0, and a request that does not is refused with its id, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        assert.deepEqual(await wire.ask(1, "echo", { a: [1] }), { jsonrpc: "2.0", id: 1, result: { a: [1] } });
        assert.equal((await wire.ask(2, "fail")).jsonrpc, "2.0");
        for (const text of [
          '{"id":3,"method":"echo"}',
          '{"jsonrpc":"1.0","id":3,"method":"echo"}',
          '{"jsonrpc":2.0,"id":3,"method":"echo"}',
        ]) {
          wire.send(text);
          const answer = await wire.next();
          assert.deepEqual([answer.jsonrpc, answer.id, answer.error.code], ["2.0", 3, -32600]);
        }
      });
    });

    test(`[D-04] [C1] [C3] an id comes back with its value and type, 0 and "" too, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        const ids = [
          1,
          "1",
          0,
          "",
          "init-1",
          -5,
          9007199254740991,
          -9007199254740991,
          "é \u2028 \ud83d\ude00",
          "\u0000\n",
          "x".repeat(5_000),
        ];
        for (const id of ids) {
          assert.strictEqual((await wire.ask(id, "echo", id)).id, id);
          assert.strictEqual((await wire.ask(id, "later", id)).id, id);
          assert.strictEqual((await wire.ask(id, "fail")).id, id);
        }
      });
    });

    test(`[C2] [D-04] 42 and "42" in flight together get two answers, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        wire.request(42, "hold");
        wire.request("42", "hold");
        wire.notify("release", { id: "42", value: "text" });
        assert.deepEqual(await wire.next(), { jsonrpc: "2.0", id: "42", result: "text" });
        wire.notify("release", { id: 42, value: "number" });
        assert.deepEqual(await wire.next(), { jsonrpc: "2.0", id: 42, result: "number" });
      });
    });

    test(`[D-05] a notification is never answered, whatever its handler does, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        for (const method of ["note", "throw", "reject", "no such method", "echo"]) wire.notify(method, { id: 1 });
        wire.notify("note");
        await provesQuiet(wire);
        assert.equal((await wire.ask(2, "notes")).result, 6);
      });
    });

    test(`[D-10] [M-07] each kind of fault has its code, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        assert.deepEqual((await wire.ask(1, "nope")).error, { code: -32601, message: "method not found: nope" });
        assert.deepEqual((await wire.ask(2, "fail")).error, { code: -32603, message: "boom" });
        assert.deepEqual((await wire.ask(3, "fail_later")).error, { code: -32603, message: "boom later" });
        assert.deepEqual((await wire.ask(4, "refuse")).error, {
          code: -32042,
          message: "no",
          data: { why: "because" },
        });
        assert.deepEqual((await wire.ask(5, "throw_text")).error, { code: -32603, message: "just text" });
        assert.deepEqual((await wire.ask(6, "thenable")).error, { code: -32603, message: "bad thenable" });
        for (const text of [
          "{}",
          "5",
          "null",
          '"text"',
          '{"jsonrpc":"2.0"}',
          '{"jsonrpc":"2.0","method":5}',
          '{"jsonrpc":"2.0","id":null,"method":"echo"}',
          '{"jsonrpc":"2.0","id":{},"method":"echo"}',
          '{"jsonrpc":"2.0","id":[1],"method":"echo"}',
          '{"jsonrpc":"2.0","id":true,"method":"echo"}',
        ]) {
          wire.send(text);
          const { id, error } = await wire.next();
          assert.deepEqual([id, error.code], [null, -32600], text);
        }
        for (const text of [
          '{"jsonrpc":"2.0","id":7,"params":{}}',
          '{"id":7,"params":{}}',
          '{"jsonrpc":"2.0","id":7,"method":null}',
          '{"jsonrpc":"2.0","id":7,"method":["echo"]}',
        ]) {
          wire.send(text);
          const { id, error } = await wire.next();
          assert.deepEqual([id, error.code], [7, -32600], text);
        }
      });
    });

    test(`[C8] [X-05] [D-10] bad JSON is answered with -32700 and id null, and costs itself only, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        for (const text of [
          "{bad",
          "{",
          '{"jsonrpc"',
          "nonsense",
          '{"jsonrpc":"2.0","id":1,"method":"echo"',
          '{"jsonrpc":"2.0","id":1,"method":"echo","params":NaN}',
        ]) {
          wire.send(text);
          const answer = await wire.next();
          assert.deepEqual([answer.jsonrpc, answer.id, answer.error.code], ["2.0", null, -32700], text);
        }
        await provesQuiet(wire);
      });
    });

    test(`[C5] [X-03] an id that is still in flight is refused with that id, and is free again afterwards, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        wire.request(5, "hold");
        const refused = await wire.ask(5, "echo", "second");
        assert.deepEqual([refused.id, refused.error.code], [5, -32600]);
        assert.match(refused.error.message, /id 5 is still in flight/);
        wire.notify("release", { id: 5, value: "first" });
        assert.deepEqual(await wire.next(), { jsonrpc: "2.0", id: 5, result: "first" });
        assert.equal((await wire.ask(5, "later", "again")).result, "again");
      });
    });

    test(`[C6] [X-03] an id that can't be echoed exactly is refused with id null, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        for (const id of [
          "9007199254740993",
          "-9007199254740993",
          "1.5",
          "-0",
          "1e400",
          "1e-3",
          "12345678901234567890",
        ]) {
          wire.send(`{"jsonrpc":"2.0","id":${id},"method":"echo"}`);
          const answer = await wire.next();
          assert.deepEqual([answer.id, answer.error?.code], [null, -32600], id);
        }
        // These are written another way and are the same number.
        for (const [id, value] of [
          ["1e3", 1000],
          ["1.0", 1],
          ["-1E1", -10],
        ] as const) {
          wire.send(`{"jsonrpc":"2.0","id":${id},"method":"echo"}`);
          assert.strictEqual((await wire.next()).id, value);
        }
      });
    });

    test(`[C11] a result that JSON can't carry is an error of that request, and the peer lives, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        for (const kind of Object.keys(UNSENDABLE)) {
          for (const method of ["unsendable", "unsendable_later"]) {
            const answer = await wire.ask(`${method} ${kind}`, method, { kind });
            assert.equal(answer.id, `${method} ${kind}`);
            assert.deepEqual(Object.keys(answer).sort(), ["error", "id", "jsonrpc"]);
            assert.equal(answer.error.code, -32603, kind);
            assert.match(answer.error.message, /the result of unsendable.* can't be sent as JSON/);
          }
          const withData = await wire.ask(1, "unsendable_data", { kind });
          assert.deepEqual([withData.error.code, withData.error.message], [-32001, "with data"]);
        }
        assert.deepEqual(await wire.ask(2, "nothing"), { jsonrpc: "2.0", id: 2, result: null });
      });
    });

    test(`[C25] what a handler throws may be anything, and is answered, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        for (const kind of Object.keys(WITHOUT_TEXT)) {
          for (const method of ["throw_odd", "reject_odd"]) {
            const { error } = await wire.ask(1, method, { kind });
            assert.deepEqual(error, { code: -32603, message: "what was thrown has no text" }, kind);
          }
        }
      });
    });

    test(`[C12] what is not finite is sent as null, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        assert.deepEqual((await wire.ask(1, "not_finite")).result, { nan: null, infinite: null });
      });
    });

    test(`[C14] [X-06] deep params are refused with their id and the limit's name, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        const deep = (levels: number) =>
          `{"jsonrpc":"2.0","id":"deep","method":"echo","params":${"[".repeat(levels)}${"]".repeat(levels)}}`;
        wire.send(deep(200));
        assert.equal(JSON.stringify((await wire.next()).result).length, 400);
        wire.send(deep(999));
        assert.equal(JSON.stringify((await wire.next()).result).length, 1_998);
        for (const levels of [1_000, 10_000, 200_000]) {
          wire.send(deep(levels));
          const answer = await wire.next();
          assert.deepEqual([answer.id, answer.error.code], ["deep", -32600], String(levels));
          assert.match(answer.error.message, /maxDepth \(1000 levels\)/);
        }
        const nested = `${"[".repeat(1_000)}${"]".repeat(1_000)}`;
        for (const members of [
          '"jsonrpc":"2.0","id":"deep","method":"echo"',
          '"method":"echo","id":"deep","jsonrpc":"2.0"',
        ]) {
          wire.send(`{"params":${nested},${members}}`);
          const answer = await wire.next();
          assert.deepEqual([answer.id, answer.error.code], ["deep", -32600], members);
        }
        // Which entry of a batch it was is not looked for.
        wire.send(`[{"jsonrpc":"2.0","id":"deep","method":"echo","params":${nested}}]`);
        const { id, error } = await wire.next();
        assert.deepEqual([id, error.code], [null, -32600]);
        assert.match(error.message, /maxDepth \(1000 levels\)/);
        // Brackets inside of text are no levels.
        assert.equal((await wire.ask(1, "echo", `"${"[{".repeat(5_000)}\\`)).result.length, 10_002);
      });
    });

    test(`[C15] names of the object prototype are no methods, and data keeps its __proto__ to itself, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        for (const method of ["hasOwnProperty", "__proto__", "constructor", "toString", ""]) {
          assert.equal((await wire.ask(1, method)).error.code, -32601);
        }
        wire.send('{"jsonrpc":"2.0","id":1,"method":"echo","params":{"__proto__":{"isError":true},"constructor":1}}');
        assert.equal(
          await wire.nextText(),
          '{"jsonrpc":"2.0","id":1,"result":{"__proto__":{"isError":true},"constructor":1}}',
        );
        assert.equal((await wire.ask(2, "echo", {})).result.isError, undefined);
        wire.send('{"jsonrpc":"2.0","__proto__":{"method":"echo","id":3}}');
        assert.deepEqual((await wire.next()).error.code, -32600);
      });
    });

    test(`[X-01] a message with a method is a request or a notification, whatever else it holds, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        wire.send('{"jsonrpc":"2.0","id":1,"method":"echo","params":[1],"result":2,"error":{"code":1,"message":"x"}}');
        assert.deepEqual((await wire.next()).result, [1]);
        wire.send('{"jsonrpc":"2.0","method":"note","result":2}');
        assert.equal((await wire.ask(2, "notes")).result, 1);
      });
    });

    test(`[X-01] an answer that nobody asked for is never answered, over ${name}`, async () => {
      const wire = await start();
      await each(wire, async () => {
        for (const text of [
          '{"jsonrpc":"2.0","id":7,"result":1}',
          '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}',
          '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
          '{"jsonrpc":"2.0","id":null,"result":{}}',
          '{"id":7,"result":1}',
          '{"jsonrpc":"2.0","id":7,"result":1,"error":{}}',
          '{"jsonrpc":"2.0","id":7}',
          '{"jsonrpc":"2.0","id":"seven"}',
          '{"jsonrpc":"2.0","id":null}',
          '{"jsonrpc":"2.0","id":{}}',
          '{"id":7}',
          `{"jsonrpc":"2.0","id":7,"result":${"[".repeat(2_000)}${"]".repeat(2_000)}}`,
        ]) {
          wire.send(text);
        }
        await provesQuiet(wire);
      });
    });
  });
}
