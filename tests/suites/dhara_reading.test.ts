/** What our Dhara host reads from a real process's stdout, byte for byte, good and broken. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { answer, endHosts, hostScript, INITIALIZED, said } from "../support/dhara_process.ts";
import { rejected } from "../support/rejected.ts";

after(endHosts);

test("[A1] [A2] [D-01] an answer that comes one byte at a time is the text that was sent", async () => {
  const hosted = await hostScript({ oneByteAtATime: true, on: { "tools/execute t": [answer("é — 😀 漢字")] } });
  assert.deepEqual(await hosted.session.execute("t"), said("é — 😀 漢字"));
  await hosted.stop();
});

test("[A3] [D-01] only LF ends a line: U+2028, U+2029, U+0085 and a CR are text, and one CR before the LF is none", async () => {
  const strange = "a\u2028b\u2029c\u0085d\re";
  const hosted = await hostScript({ on: { "tools/execute t": [`${answer(strange)}\r`] } });
  assert.deepEqual(await hosted.session.execute("t"), said(strange));
  await hosted.stop();
});

for (const where of ["the first line", "every line"]) {
  test(`[A4] [D-01] a BOM before ${where} is nothing`, async () => {
    const more = where === "every line" ? "\ufeff" : "";
    const hosted = await hostScript({
      on: { initialize: [`\ufeff${INITIALIZED}`], "tools/execute t": [`${more}${answer("fine")}`] },
    });
    assert.deepEqual(await hosted.session.execute("t"), said("fine"));
    await hosted.stop();
    assert.deepEqual(hosted.diagnostics, []);
  });
}

test("[A5] [X-05] [X-06] ten thousand lines of junk are kept, capped, and cost nothing else", async () => {
  const hosted = await hostScript({
    start: ["started ok"],
    on: { "tools/execute t": [{ repeat: "junk\n", times: 10_000 }, answer("found")] },
  });
  assert.deepEqual(await hosted.session.execute("t"), said("found"));
  assert.equal(hosted.diagnostics.length, 10_001);
  assert.equal(hosted.diagnostics[0]?.line, "started ok");
  assert.equal(hosted.session.diagnostics.length, 1_000);
  await hosted.stop();
  assert.equal(hosted.received().length, 3, "junk is never answered");
});

test("[X-05] [X-06] of a long line of junk 8 KiB are kept", async () => {
  const hosted = await hostScript({ on: { "tools/execute t": [`é${"x".repeat(100_000)}`, answer("found")] } });
  await hosted.session.execute("t");
  assert.equal(Buffer.byteLength(hosted.session.diagnostics[0]?.line ?? ""), 8 * 1024);
  await hosted.stop();
});

test("[A6] [A8] each bad line costs itself only, and a blank one nothing", async () => {
  const hosted = await hostScript({
    on: {
      "tools/execute t": [
        "",
        "\r",
        "   ",
        "{",
        '{"jsonrpc"',
        '{"jsonrpc":"2.0","id":2,"result":{"content":[{"ty',
        answer("good"),
      ],
    },
  });
  assert.deepEqual(await hosted.session.execute("t"), said("good"));
  assert.equal(hosted.diagnostics.length, 3);
  await hosted.stop();
});

test("[A14] a byte that is no UTF-8 is said so, and the rest is read", async () => {
  const line = INITIALIZED.replace('"ID"', "1").replace("A tool", "A \u0097 tool");
  const hex = Buffer.from(`${line}\n`, "utf8").toString("hex").replace("c297", "97");
  const hosted = await hostScript({ on: { initialize: [{ hex }] } });
  assert.equal(hosted.session.tools[0]?.description, "A \ufffd tool");
  assert.match(hosted.diagnostics[0]?.message ?? "", /UTF-8/);
  await hosted.stop();
});

test("[A10] [X-06] [D24] a line over the limit ends the connection, and the awaited error says which limit", async () => {
  const hosted = await hostScript(
    { on: { "tools/execute t": [{ repeat: "x", times: 2_000_000 }] } },
    { limits: { maxMessageBytes: 1_000_000 } },
  );
  const error = await rejected(hosted.session.execute("t"));
  assert.equal(error.code, "limit");
  assert.match(error.message, /maxMessageBytes/);
  hosted.process.kill("SIGKILL");
  await hosted.process.exited;
});

test("[A11] [X-06] the limit counts a message, not a chunk", async () => {
  const long = JSON.parse(answer("")) as object;
  const room = 100_000 - JSON.stringify(long).length;
  const hosted = await hostScript(
    { on: { "tools/execute t #1": [answer("x".repeat(room - 10)), "junk"], "tools/execute t #2": [answer("small")] } },
    { limits: { maxMessageBytes: 100_000 } },
  );
  assert.equal((await hosted.session.execute("t")).isError, false);
  assert.deepEqual(await hosted.session.execute("t"), said("small"));
  await hosted.stop();
});

test("[C8] [X-01] an error with id null is kept as a diagnostic, and the call goes on", async () => {
  const hosted = await hostScript({
    on: {
      "tools/execute t": [
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what was that?"}}',
        answer("on"),
      ],
    },
  });
  assert.deepEqual(await hosted.session.execute("t"), said("on"));
  assert.match(hosted.diagnostics[0]?.message ?? "", /what was that\?/);
  await hosted.stop();
});
