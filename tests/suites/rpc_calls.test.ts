/** A peer's own calls: what it can't send, how long it waits, and how they end. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { ExtensionError } from "../../src/rpc/errors.ts";
import { canWrite, pair, works } from "../support/asking.ts";
import { Inbox } from "../support/inbox.ts";
import { failsWith, rejected } from "../support/rejected.ts";
import { DEEP, nested, UNSENDABLE } from "../support/test_peer.ts";
import { endWires, FRAMES, LINES, MEMORY } from "../support/wire.ts";

after(endWires);

for (const transport of [MEMORY, LINES, FRAMES]) {
  const { name } = transport;
  describe(`calls over ${name}`, () => {
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
      const asked = new Inbox<unknown>();
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
      const ours = failsWith(both.peer.request("ours"), "timeout", /no answer to ours within 30 ms \(it was sent\)/);
      assert.equal((await both.wire.next()).id, 1);
      both.wire.request(1, "theirs");
      assert.equal(await asked.next(), 1);
      await ours;
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
      const given = rejected(peer.request("given up", undefined, { signal: controller.signal }));
      const dated = failsWith(peer.request("too late", undefined, { timeoutMs: 1 }), "timeout", /it was not sent/);
      assert.equal((await wire.next()).method, "a");
      assert.equal((await wire.next()).method, "b");
      controller.abort(new Error("never mind"));
      assert.equal((await given).message, "never mind");
      await dated;
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
