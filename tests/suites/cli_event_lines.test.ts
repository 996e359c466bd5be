/** What `extwire run` says of what happens to extensions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clockTime } from "../../src/cli/clock_time.ts";
import { EventLines } from "../../src/cli/event_lines.ts";
import { styleFor } from "../../src/cli/style.ts";
import type { HostEvent } from "../../src/host/events.ts";

/** The lines of an unasked exit with `signal` and of the state after it, with `message`. */
function ended(signal: string, message: string): (string | undefined)[] {
  const lines = new EventLines(["x"], styleFor("none"));
  const events: HostEvent[] = [
    { type: "exit", extension: "x", code: null, signal, expected: false },
    { type: "state", extension: "x", state: "stopped", message },
    { type: "state", extension: "x", state: "starting" },
    { type: "state", extension: "x", state: "stopped", message: "was ended by SIGTERM" },
  ];
  return events.map((event) => lines.of(event));
}

test("a line begins with the time where that was asked for, as exact as that", () => {
  const event: HostEvent = { type: "stderr", extension: "x", line: "y" };
  const line = (precision?: "s" | "ms") => new EventLines(["x"], styleFor("none"), precision).of(event) ?? "";
  assert.equal(line(), "x │ y");
  assert.match(line("s"), /^\d\d:\d\d:\d\d x │ y$/);
  assert.match(line("ms"), /^\d\d:\d\d:\d\d\.\d{3} x │ y$/);
});

test("how a process ended is told once", () => {
  const lines = ended("SIGKILL", "extension 'x' (run) was ended by SIGKILL. It wrote nothing to stderr.");
  assert.deepEqual(lines.slice(0, 3), ["x ✖ ended by SIGKILL unexpectedly", undefined, "x ◌ starting"]);
  assert.equal(lines[3], "x ○ stopped  was ended by SIGTERM");
});

test("why the host ended one is told, not only the signal that it sent", () => {
  const [exit, stopped] = ended(
    "SIGTERM",
    "extension 'x' (run) broke the protocol: a bad frame.\nIts last lines on stderr:\n  y",
  );
  assert.equal(exit, "x ✖ ended by SIGTERM unexpectedly");
  assert.equal(stopped, "x ○ stopped  extension 'x' (run) broke the protocol: a bad frame.");
});

/** The line of one event of `x`, without colours. */
function lineOf(event: object): string | undefined {
  return new EventLines(["x"], styleFor("none")).of({ extension: "x", ...event } as HostEvent);
}

test("nothing that an extension sends commands the terminal, and only its lines have more than one", () => {
  const evil = "a\x1b[2Jb\x1b]0;title\x07";
  for (const [event, line] of [
    [{ type: "stdout", line: evil }, "x │ ab"],
    [{ type: "stderr", line: evil }, "x │ ab"],
    [{ type: "diagnostic", code: "c", message: `${evil}\nc` }, "x ! ab c"],
    [{ type: "tools", tools: [{ name: evil }, { name: "c\nd" }] }, "x · tools: ab, c d"],
    [{ type: "state", state: "degraded", message: `${evil}\nc` }, "x ● degraded  ab"],
    [{ type: "message", direction: "sent", text: `${evil} \n c`, bytes: 9 }, "x → ab c"],
  ] as const) {
    assert.equal(lineOf(event), line);
  }
});

test("each kind of event has its line, and one that says nothing new has none", () => {
  for (const [event, line] of [
    [{ type: "tools", tools: [] }, "x · tools: none"],
    [{ type: "status", status: {} }, undefined],
    [{ type: "message", direction: "received", bytes: 12 }, "x ← attachment, 12 bytes"],
    [{ type: "message", direction: "received", text: "y".repeat(4_000) }, `x ← ${"y".repeat(4_000)}`],
    [
      { type: "message", direction: "sent", text: "y".repeat(4_001) },
      `x → ${"y".repeat(4_000)}… 4001 characters in all`,
    ],
    [{ type: "exit", code: 3, signal: null, expected: true }, undefined],
    [{ type: "exit", code: 3, signal: null, expected: false }, "x ✖ exited with code 3 unexpectedly"],
    [{ type: "exit", code: null, signal: null, expected: false }, "x ✖ ended unexpectedly"],
    [{ type: "state", state: "ready" }, "x ● ready"],
    [{ type: "state", state: "failed", message: "no device" }, "x ✖ failed  no device"],
    [{ type: "state", state: "stopping" }, "x ◌ stopping"],
    [{ type: "state", state: "stopped", message: "y.\nIt also sent invalid messages:\n    z" }, "x ○ stopped  y."],
    [
      { type: "state", state: "starting", message: "waits 0.5 s after failure 1: it hurts" },
      "x ◌ starting  waits 0.5 s after failure 1",
    ],
  ] as const) {
    assert.equal(lineOf(event), line);
  }
});

test("an end that was told is not told again, until the extension lives again", () => {
  const lines = new EventLines(["x"], styleFor("none"));
  const say = (event: object) => lines.of({ extension: "x", ...event } as HostEvent);
  assert.equal(say({ type: "exit", code: 3, signal: null, expected: false }), "x ✖ exited with code 3 unexpectedly");
  assert.equal(say({ type: "state", state: "stopped" }), undefined);
  assert.equal(say({ type: "state", state: "ready" }), "x ● ready");
  assert.equal(
    say({ type: "state", state: "stopped", message: "exited with code 3" }),
    "x ○ stopped  exited with code 3",
  );
});

test("ids stand in columns of one width, each in the next of five colours", () => {
  const ids = ["a", "bb", "c", "d", "e", "f"];
  const lines = new EventLines(ids, styleFor("16"));
  const colors = ids.map((id) => /^\x1b\[(\d+)m(\w+ *)\x1b\[39m$/.exec(lines.name(id))?.slice(1));
  assert.deepEqual(colors, [
    ["36", "a "],
    ["35", "bb"],
    ["34", "c "],
    ["33", "d "],
    ["32", "e "],
    ["36", "f "],
  ]);
  assert.equal(lines.name("new"), "\x1b[1mnew\x1b[22m");
});

test("the time of day has three places for its milliseconds", () => {
  const { getMilliseconds } = Date.prototype;
  Date.prototype.getMilliseconds = () => 7;
  try {
    assert.match(clockTime("ms"), /^\d\d:\d\d:\d\d\.007$/);
  } finally {
    Date.prototype.getMilliseconds = getMilliseconds;
  }
});
