/** How long a Dhara host waits where nobody says how long: by a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DharaSession } from "../../src/dhara/host.ts";
import type { Channel } from "../../src/rpc/channel.ts";
import { ExtensionError } from "../../src/rpc/errors.ts";
import { memoryPair } from "../../src/rpc/memory.ts";
import { FakeTime } from "../support/fake_time.ts";
import type { Json } from "../support/messages.ts";

/** The far end of a connection: what came, and whether it has ended. */
class Far {
  readonly messages: Json[] = [];
  ended = false;
  readonly #channel: Channel;

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.open({
      text: (text) => void this.messages.push(JSON.parse(text)),
      binary: () => {},
      diagnostic: () => {},
      closed: () => {
        this.ended = true;
      },
    });
  }

  get methods(): string[] {
    return this.messages.map(({ method }) => method);
  }

  send(message: object): void {
    this.#channel.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }
}

/** What has become of `promise`: undefined, "done", or the code of its error. */
function outcome(promise: Promise<unknown>): { code: string | undefined } {
  const seen: { code: string | undefined } = { code: undefined };
  promise.then(
    () => {
      seen.code = "done";
    },
    (error: unknown) => {
      seen.code = error instanceof ExtensionError ? error.code : String(error);
    },
  );
  return seen;
}

test("[D-13] a call has 30 s; then shutdown is sent, and after 5 s more the connection ends and the caller is told", async () => {
  await FakeTime.run(async (time) => {
    const [near, channel] = memoryPair();
    const far = new Far(channel);
    const session = new DharaSession(near, { id: "slow" });
    const initializing = session.initialize({ cwd: "/" });
    await time.pass(1);
    far.send({ id: 1, result: { tools: [{ name: "t", inputSchema: { type: "object" } }] } });
    await initializing;
    const call = outcome(session.execute("t"));
    await time.pass(29_999);
    assert.deepEqual(far.methods, ["initialize", "tools/execute"]);
    await time.pass(1);
    assert.deepEqual(far.methods, ["initialize", "tools/execute", "shutdown"]);
    await time.pass(4_999);
    assert.deepEqual([far.ended, call.code], [false, undefined]);
    await time.pass(1);
    assert.deepEqual([far.ended, call.code], [true, "timeout"]);
  });
});

test("[D-13] the handshake has 30 s", async () => {
  await FakeTime.run(async (time) => {
    const [near, channel] = memoryPair();
    new Far(channel);
    const session = new DharaSession(near, { id: "slow" });
    const initializing = outcome(session.initialize({ cwd: "/" }));
    const waiting = outcome(session.execute("t"));
    await time.pass(29_999);
    assert.deepEqual([initializing.code, waiting.code], [undefined, undefined]);
    await time.pass(1);
    assert.equal(initializing.code, "handshake-failed");
    await session.close();
  });
});
