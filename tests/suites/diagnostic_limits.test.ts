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
