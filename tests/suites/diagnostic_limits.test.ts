/** How many lines are kept of what an extension writes beside its protocol, and how much of each: none is a number too. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { DharaSession } from "../../src/dhara/host.ts";
import { LineLog } from "../../src/host/line_log.ts";
import { withDefaultLimits } from "../../src/rpc/limits.ts";
import { memoryPair } from "../../src/rpc/memory.ts";

const STRAY = ["stray 1", "stray 2", "stray 3", "stray 4", "stray 5"];

function stderrOf(lines: readonly string[], given: object): string[] {
  const log = new LineLog({ limits: withDefaultLimits(given), redact: (line) => line, kept() {} });
  log.push(Buffer.from(lines.map((line) => `${line}\n`).join("")));
  return log.lines();
}

/** The far end has written them when this returns. */
async function diagnosed(lines: readonly string[], limits: object): Promise<(string | undefined)[]> {
  const [near, far] = memoryPair();
  const session = new DharaSession(near, { id: "raw", limits });
  for (const line of lines) far.send(line);
  await far.close();
  await session.closed;
  return session.diagnostics.map(({ line }) => line);
}

for (const maxDiagnosticLines of [0, 1, 2, 4, 5, 6]) {
  test(`[X-05] [X-06] of five stray lines the last ${maxDiagnosticLines} are kept`, async () => {
    const kept = STRAY.slice(Math.max(0, STRAY.length - maxDiagnosticLines));
    assert.deepEqual(stderrOf(STRAY, { maxDiagnosticLines }), kept);
    assert.deepEqual(await diagnosed(STRAY, { maxDiagnosticLines }), kept);
  });
}

test("[X-05] [X-06] a stray line is kept whole up to its limit and cut past it, between characters", async () => {
  for (const [maxDiagnosticLineBytes, line, kept, quoted] of [
    [9, "123456789", "123456789", "123456789"],
    [9, "1234567890", "123456…", "123456789"],
    [9, "é汉é汉", "é汉…", "é汉é"],
    [9, "汉汉汉", "汉汉汉", "汉汉汉"],
    [4, "12345", "1…", "1234"],
    [3, "12345", "…", "123"],
    [2, "12345", "12", "12"],
    [1, "é汉", "", ""],
    [0, "12345", "", ""],
  ] as const) {
    assert.deepEqual(stderrOf([line], { maxDiagnosticLineBytes }), [kept], `${line} ${maxDiagnosticLineBytes}`);
    assert.deepEqual(
      await diagnosed([line], { maxDiagnosticLineBytes }),
      [quoted],
      `${line} ${maxDiagnosticLineBytes}`,
    );
  }
});

test("[D11] [X-05] a line comes in parts of any size, and its end may be CR LF, or missing", () => {
  const text = "one\r\ntwo\n\n汉字\rx\nlast";
  for (let size = 1; size <= 20; size++) {
    const told: string[] = [];
    const log = new LineLog({ limits: withDefaultLimits({}), redact: (line) => line, kept: (line) => told.push(line) });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) {
      // A reader may use its buffer again.
      const chunk = Uint8Array.from(bytes.subarray(at, at + size));
      log.push(chunk);
      chunk.fill(0);
    }
    log.end();
    log.end();
    const lines = ["one", "two", "", "汉字\rx", "last"];
    assert.deepEqual([log.lines(), told], [lines, lines], `${size} bytes at a time`);
    assert.deepEqual(log.lines(2), ["汉字\rx", "last"]);
  }
});

test("[X-14] no part of a secret is left where its line is cut, whole or in parts", () => {
  const secret = "0123456789abcdef".repeat(4);
  for (let before = 0; before < 40; before++) {
    for (const size of [7, 1_000]) {
      const redact = (line: string) => line.replaceAll(secret, "[token]");
      const log = new LineLog({ limits: withDefaultLimits({ maxDiagnosticLineBytes: 32 }), redact, kept() {} });
      const bytes = Buffer.from(`${"x".repeat(before)}${secret}${"y".repeat(500)}\nnext\n`);
      for (let at = 0; at < bytes.length; at += size) log.push(bytes.subarray(at, at + size));
      const [line = "", next] = log.lines();
      assert.match(line, /^x*(?:$|…$|\[t?o?k?e?n?\]?y*…$)/);
      assert.equal(next, "next");
    }
  }
});
