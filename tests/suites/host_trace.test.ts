/** A host that is asked to tells every message of its extensions, and no secret. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostEvent } from "../../src/host/events.ts";
import { withoutTokens } from "../../src/mx/token.ts";
import { dhara, hosting, mx } from "../support/hosting.ts";
import { fixture } from "../support/runtime.ts";

/** `> method` of a request that was written, `< id` of an answer that came, `< 12 bytes` of an attachment. */
function messages(events: readonly HostEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== "message") return [];
    const mark = event.direction === "sent" ? ">" : "<";
    if (event.text === undefined) return [`${mark} ${event.bytes} bytes`];
    const { method, id } = JSON.parse(event.text);
    return [`${mark} ${method ?? id}`];
  });
}

test("what passes between a host and a Dhara extension is told, in its order", async () => {
  let seen: readonly HostEvent[] = [];
  await hosting(
    async ({ host, events }) => {
      seen = events;
      await host.start(dhara());
      await host.execute("echo", { text: "a" });
    },
    { trace: true },
  );
  assert.deepEqual(messages(seen), ["> initialize", "< 1", "> tools/execute", "< 2", "> shutdown"]);
});

test("nothing is told unless it is asked for", async () => {
  await hosting(async ({ host, events }) => {
    await host.start(dhara());
    await host.execute("echo", { text: "a" });
    assert.deepEqual(messages(events), []);
  });
});

test("attachments are told with their size, and the call behind them is answered all the same", async () => {
  await hosting(
    async ({ host, events, until }) => {
      await host.start({ id: "sdk", protocol: "mx", ...fixture("mx_sdk") });
      await until((event) => event.type === "stderr" && event.line.startsWith("captured "));
      const sizes = events.flatMap((event) => (event.type === "message" ? (event.bytes ?? []) : []));
      assert.equal(sizes.length, 1);
      // Its pixels, and a head.
      assert.ok(sizes[0]! > 640 * 400 * 4, `${sizes[0]} bytes`);
      assert.deepEqual(
        messages(events).filter((each) => each.startsWith("<") && /[a-z]/.test(each)),
        ["< host.v1.hello", "< host.v1.listVms", "< host.v1.captureFramebuffer"],
      );
    },
    { trace: true },
  );
});

test("[X-14] neither the token nor a guess at it stands in a message that is told", async () => {
  for (const behaviour of [{}, { token: 'almost "it"' }]) {
    await hosting(
      async ({ host, until }) => {
        const start = host.start(mx(behaviour)).catch(() => {});
        const hello = await until((event) => event.type === "message" && event.direction === "received");
        assert.ok(hello.type === "message" && hello.text !== undefined);
        assert.equal(JSON.parse(hello.text).params.token, "[token]");
        await host.close();
        await start;
      },
      { trace: true },
    );
  }
});

test("[X-14] a hello that is cut inside its token shows no part of it", async () => {
  await hosting(
    async ({ host, until }) => {
      const start = host.start(mx({ cutsToken: true })).catch(() => {});
      const hello = await until((event) => event.type === "message" && event.direction === "received");
      assert.ok(hello.type === "message");
      assert.match(hello.text ?? "", /"token":"\[token\]"$/);
      await host.close();
      await start;
    },
    { trace: true },
  );
});

test("[X-14] a message that calls many MiB a token is told all the same", () => {
  const message = (token: string) => JSON.stringify({ params: { token }, id: 1 });
  for (const part of ["x", '"', "\n"]) {
    assert.equal(withoutTokens(message(part.repeat(30_000))), message("[token]"));
    assert.ok(withoutTokens(message(part.repeat(20 << 20))).startsWith('{"params":{"token":"[token]"'));
  }
});

test("[X-14] an extension that says its token shows it nowhere: not in a message, a status or an error", async () => {
  await hosting(
    async ({ host, events }) => {
      await host.start(mx({ status: [{ state: "ready", message: "here with TOKEN" }] }));
      const shown = JSON.stringify(events);
      assert.equal(shown.match(/here with \[token\]/g)?.length, 3, shown);
      assert.doesNotMatch(shown, /here with (?!\[token\])/);
    },
    { trace: true },
  );
});
