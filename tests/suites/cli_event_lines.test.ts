/** What `extwire run` says of an extension that ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
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
    "extension 'x' (run) broke the protocol: a bad frame. Its last lines on stderr:\n  y",
  );
  assert.equal(exit, "x ✖ ended by SIGTERM unexpectedly");
  assert.equal(stopped, "x ○ stopped  extension 'x' (run) broke the protocol: a bad frame.");
});
