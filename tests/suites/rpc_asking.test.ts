/** A peer that asks: the other end is plain text, and answers as real and as broken peers do. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Diagnostic } from "../../src/rpc/channel.ts";
import { ExtensionError, type ExtensionErrorCode, RpcError } from "../../src/rpc/errors.ts";
import { Peer, type PeerHandlers, type PeerOptions } from "../../src/rpc/peer.ts";
import { DEEP, nested, UNSENDABLE } from "../support/test_peer.ts";
import { endWires, FRAMES, LINES, MEMORY, type Transport, type Wire } from "../support/wire.ts";

after(endWires);

interface Pair {
  readonly peer: Peer;
  readonly wire: Wire;
  readonly diagnostics: Diagnostic[];
  readonly errors: unknown[];
  readonly closed: Promise<ExtensionError>;
}

async function pair(transport: Transport, options: PeerOptions = {}, handlers: PeerHandlers = {}): Promise<Pair> {
  const diagnostics: Diagnostic[] = [];
  const errors: unknown[] = [];
  let peer: Peer | undefined;
  let end: (reason: ExtensionError) => void = () => {};
  const closed = new Promise<ExtensionError>((resolve) => {
    end = resolve;
  });
  const wire = await transport.connect((channel) => {
    const ends = {
      diagnostic: (diagnostic: Diagnostic) => void diagnostics.push(diagnostic),
      error: (error: unknown) => void errors.push(error),
      closed: end,
    };
    peer = new Peer(channel, { ...handlers, ...ends }, { answersGarbage: false, ...options });
  }, options.limits);
  return { peer: peer!, wire, diagnostics, errors, closed };
}

async function rejected(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof Error, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "it resolved" });
}

async function failsWith(
  promise: Promise<unknown>,
  code: ExtensionErrorCode,
  message?: RegExp,
): Promise<ExtensionError> {
  const error = await rejected(promise);
  assert.ok(error instanceof ExtensionError, String(error));
  assert.equal(error.code, code, error.message);
  if (message) assert.match(error.message, message);
  return error;
}

function canWrite(value: unknown): boolean {
  try {
    return JSON.stringify(value).length > 0;
  } catch {
    return false;
  }
}

/** A call that shows that the connection still works, and that nothing else was sent before it. */
async function works({ peer, wire }: Pair): Promise<void> {
  const answer = peer.request("works");
  const { id, method } = await wire.next();
  assert.equal(method, "works");
  wire.send(`{"jsonrpc":"2.0","id":${id},"result":"yes"}`);
  assert.equal(await answer, "yes");
}

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
      both.wire.send('{"jsonrpc":"2.0","id":"other","result":1}', '{"jsonrpc":"2.0","id":99,"result":1}');
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
      await failsWith(answered(',"error":"text"'), "protocol", /no \{code, message\} object: "text"/);
      await failsWith(answered(',"error":null'), "protocol", /no \{code, message\} object: null/);
      await failsWith(answered(',"error":{"message":"m"}'), "protocol", /no \{code, message\} object/);
      await failsWith(answered(',"error":{"code":"1","message":"m"}'), "protocol", /no \{code, message\} object/);
      await failsWith(answered(',"error":{"code":1}'), "protocol", /no \{code, message\} object/);
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
      );
      await works(both);
      assert.deepEqual(both.diagnostics, []);
      await peer.close();
    });

    test(`[C8] [C16] [X-01] an error with id null is a diagnostic, a result with id null is nothing, over ${name}`, async () => {
      const both = await pair(transport);
      const answer = both.peer.request("a");
      await both.wire.next();
      both.wire.send(
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}',
        '{"jsonrpc":"2.0","id":null,"result":{"status":"ok"}}',
        '{"jsonrpc":"2.0","id":1,"result":"fine"}',
      );
      assert.equal(await answer, "fine");
      assert.equal(both.diagnostics.length, 1);
      assert.match(both.diagnostics[0]!.message, /the other side reports an error: .*what\?/);
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
        await failsWith(answer, "limit", /maxDepth, 1000 levels/);
      }
      await works(both);
      await both.peer.close();
    });

    test(`[C11] [C14] params that JSON can't carry are refused here and nothing is sent, over ${name}`, async () => {
      const both = await pair(transport);
      for (const [kind, make] of Object.entries(UNSENDABLE)) {
        // Some engines can write what is nested so deeply, and then it is too deep for us.
        const code = kind === DEEP && canWrite(make()) ? "limit" : "not-serializable";
        await failsWith(both.peer.request("a", make()), code, /the params of a can't be sent as JSON/);
        await failsWith(both.peer.notify("a", make()), code, /the params of a/);
      }
      await failsWith(both.peer.request("a", nested(1_001)), "limit", /maxDepth/);
      await failsWith(both.peer.notify("a", nested(1_001)), "limit", /maxDepth/);
      await works(both);
      assert.equal(both.peer.pending, 0);
      await both.peer.close();
    });

    test(`[C20] [M-22] each side has its own ids and its own timeouts, over ${name}`, async () => {
      const asked: unknown[] = [];
      const both = await pair(
        transport,
        { timeoutMs: 30 },
        {
          request(_method, _params, { id }) {
            asked.push(id);
            return new Promise(() => {});
          },
        },
      );
      const ours = both.peer.request("ours");
      assert.equal((await both.wire.next()).id, 1);
      both.wire.request(1, "theirs");
      await failsWith(ours, "timeout", /no answer to ours within 30 ms \(it was sent\)/);
      assert.deepEqual(asked, [1]);
      assert.equal(both.peer.serving, 1);
      await both.peer.close();
    });

    test(`[C18] a timeout is counted from the call on, whatever comes in between, and 0 is none, over ${name}`, async () => {
      const both = await pair(transport, { timeoutMs: 40 });
      const patient = both.peer.request("patient", undefined, { timeoutMs: 0 });
      const hasty = both.peer.request("hasty");
      const timer = setInterval(() => both.wire.notify("progress", { message: "still there" }), 5);
      await failsWith(hasty, "timeout");
      clearInterval(timer);
      both.wire.send('{"jsonrpc":"2.0","id":1,"result":"late but fine"}');
      assert.equal(await patient, "late but fine");
      await both.peer.close();
    });

    test(`[X-04] closing rejects what is in flight once, with one reason, and late answers are nothing, over ${name}`, async () => {
      const both = await pair(transport);
      const { peer, wire } = both;
      let rejections = 0;
      const calls = Array.from({ length: 20 }, () =>
        peer.request("a").catch((error: unknown) => {
          rejections++;
          assert.ok(error instanceof ExtensionError);
          assert.equal(error.code, "closed");
        }),
      );
      await wire.next();
      await Promise.all([peer.close(), peer.close()]);
      await Promise.all(calls);
      assert.equal(rejections, 20);
      await failsWith(peer.request("b"), "closed");
      await failsWith(peer.notify("b"), "closed");
      assert.equal(peer.pending, 0);
    });

    test(`[D23] the end of the other side rejects with what explain makes of it, over ${name}`, async () => {
      const reason = new ExtensionError("exited", "it exited with code 3", { exitCode: 3 });
      for (const explain of [
        () => reason,
        () => new Promise<ExtensionError>((resolve) => setTimeout(resolve, 5, reason)),
      ]) {
        const both = await pair(transport, { explain });
        const call = both.peer.request("a");
        await both.wire.next();
        both.wire.end();
        assert.equal(await rejected(call), reason);
        assert.equal(await both.closed, reason);
        assert.equal(await rejected(both.peer.request("b")), reason);
      }
      for (const explain of [
        () => Promise.reject(new Error("no idea")),
        () => {
          throw new Error("no idea");
        },
      ]) {
        const both = await pair(transport, { explain });
        const call = both.peer.request("a");
        await both.wire.next();
        both.wire.end();
        await failsWith(call, "disconnected");
      }
    });

    test(`[C25] hooks that throw, now or later, are reported in one place and stop nothing, over ${name}`, async () => {
      const both = await pair(
        transport,
        {},
        {
          notification(method) {
            if (method === "now") throw new Error("now");
            return Promise.reject(new Error("later"));
          },
        },
      );
      both.wire.notify("now");
      both.wire.notify("later");
      both.wire.send("garbage");
      await works(both);
      assert.deepEqual(both.errors.map(String), ["Error: now", "Error: later"]);
      await both.peer.close();
    });

    test(`[X-06] past maxInFlight our own requests wait for a place, in order, over ${name}`, async () => {
      const { peer, wire } = await pair(transport, { limits: { maxInFlight: 2 } });
      const controller = new AbortController();
      const calls = Promise.allSettled(["a", "b", "c", "d"].map((method) => peer.request(method)));
      const given = peer.request("given up", undefined, { signal: controller.signal });
      const dated = peer.request("too late", undefined, { timeoutMs: 1 });
      assert.equal((await wire.next()).method, "a");
      assert.equal((await wire.next()).method, "b");
      controller.abort(new Error("never mind"));
      assert.equal((await rejected(given)).message, "never mind");
      await failsWith(dated, "timeout", /it was not sent/);
      assert.equal(peer.pending, 4);
      wire.send('{"jsonrpc":"2.0","id":2,"result":"B"}');
      assert.deepEqual(await wire.next(), { jsonrpc: "2.0", id: 3, method: "c" });
      wire.send('{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"C"}}', '{"jsonrpc":"2.0","id":1,"result":"A"}');
      assert.equal((await wire.next()).method, "d");
      wire.send('{"jsonrpc":"2.0","id":4,"result":"D"}');
      const results = await calls;
      assert.deepEqual(
        results.map(({ status }) => status),
        ["fulfilled", "fulfilled", "rejected", "fulfilled"],
      );
      await peer.close();
    });
  });
}
