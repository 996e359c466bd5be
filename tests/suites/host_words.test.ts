/** What an error says of an extension that ended: what was run, how it ended, its last words and what to do. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Circumstances, endedError, startError, stoppedError } from "../../src/host/failure.ts";
import type { ExtensionManifest } from "../../src/host/manifest.ts";
import { ExtensionError } from "../../src/rpc/errors.ts";

const DHARA: ExtensionManifest = { id: "x", protocol: "dhara", command: "run", args: ["a b"], cwd: "/w" };
const MX: ExtensionManifest = { id: "x", protocol: "mx", command: "run" };

function known(
  manifest: ExtensionManifest,
  exit?: [code: number | null, signal?: string],
  more: object = {},
): Circumstances {
  const ended = exit && { code: exit[0], signal: exit[1] ?? null };
  return { manifest, exit: ended, stderr: [], stdout: [], useless: [], refusal: undefined, ...more };
}

/** Without what follows when it has said nothing. */
function words({ message }: ExtensionError): string {
  return message.replace(/ It wrote nothing to stderr\.$/, "");
}

describe("[D24] [X-19] an end by itself", () => {
  const gone = new ExtensionError("disconnected", "reset");
  const rows: readonly [title: string, error: ExtensionError, code: string, message: string][] = [
    [
      "while it was in use",
      endedError(true, undefined, known(DHARA, [7])),
      "exited",
      `extension 'x' (run "a b") exited with code 7.`,
    ],
    [
      "with success while it was in use",
      endedError(true, undefined, known(DHARA, [0])),
      "exited",
      `extension 'x' (run "a b") exited with code 0. An extension reads stdin until it is told to shut down.`,
    ],
    [
      "with success while it was in use, over MX",
      endedError(true, gone, known(MX, [0])),
      "exited",
      "extension 'x' (run) exited with code 0. An extension connects to MX_EXTENSION_HOST and stays.",
    ],
    [
      "before it was ready",
      endedError(false, undefined, known(DHARA, [null, "SIGSEGV"])),
      "start-failed",
      `extension 'x' (run "a b") was ended by SIGSEGV before it was ready. Run the command by hand in /w to see more, or correct command, args, cwd or env in its manifest.`,
    ],
    [
      "with success before it was ready",
      endedError(false, undefined, known(MX, [0])),
      "start-failed",
      "extension 'x' (run) exited with code 0 before it was ready. An extension connects to MX_EXTENSION_HOST and stays; this command ended at once. Run it by hand to see what it does.",
    ],
    [
      "of its stdout",
      endedError(true, undefined, known(DHARA)),
      "disconnected",
      `extension 'x' (run "a b") closed its stdout but did not exit.`,
    ],
    [
      "of its stdout with a reason",
      endedError(true, gone, known(DHARA)),
      "disconnected",
      `extension 'x' (run "a b") closed its connection but did not exit: reset.`,
    ],
    [
      "of its connection",
      endedError(true, undefined, known(MX)),
      "disconnected",
      "extension 'x' (run) closed its connection but did not exit.",
    ],
    [
      "by a fault in what it sent, however it ended then",
      endedError(true, new ExtensionError("limit", "too long."), known(DHARA, [1])),
      "limit",
      `extension 'x' (run "a b") broke the protocol: too long.`,
    ],
    [
      "of a connection that was closed here",
      endedError(true, new ExtensionError("closed", "y"), known(DHARA, [1])),
      "exited",
      `extension 'x' (run "a b") exited with code 1.`,
    ],
  ];
  for (const [title, error, code, message] of rows) {
    test(title, () => assert.deepEqual([error.code, words(error), error.extension], [code, message, "x"]));
  }

  test("carries its cause, how it ended and its last words", () => {
    const { cause, exitCode, signal, stderr } = endedError(true, gone, known(DHARA, [3], { stderr: ["a", "b"] }));
    assert.deepEqual([cause, exitCode, signal, stderr], [gone, 3, null, "a\nb"]);
    assert.equal(endedError(true, gone, known(DHARA, [null, "SIGKILL"])).signal, "SIGKILL");
    assert.equal("exitCode" in endedError(true, gone, known(DHARA)), false);
  });
});

test("what an error says of a long text costs no more than a look at each character", () => {
  // To try each dot as the first of the last ones would take hours.
  const dots = ".".repeat(2_000_000);
  const { message } = startError(`${dots}x${dots}`, known(DHARA));
  assert.ok(message.endsWith(`: ${dots}x. It wrote nothing to stderr.`));
});

describe("a start that came to nothing", () => {
  test("is told as what it came to", () => {
    const silent = startError(new ExtensionError("handshake-failed", "no answer."), known(DHARA));
    assert.deepEqual(
      [silent.code, silent.message, silent.stderr],
      [
        "handshake-failed",
        `extension 'x' (run "a b") did not complete its handshake: no answer. It wrote nothing to stderr.`,
        "",
      ],
    );
    assert.equal((silent.cause as Error).message, "no answer.");
    assert.match(startError("odd", known(DHARA)).message, /did not complete its handshake: odd\. /);
  });

  test("is told by the name of the extension where there was no process", () => {
    const cause = new Error("ENOENT");
    const none = startError(new ExtensionError("start-failed", "no such command", { cause }), known(DHARA));
    assert.deepEqual(
      [none.code, none.message, none.extension, none.stderr, none.cause],
      ["start-failed", "extension 'x': no such command", "x", "", cause],
    );
  });

  test("is left as it is where it has been told", () => {
    const told = endedError(false, undefined, known(DHARA, [1]));
    assert.equal(startError(told, known(MX)), told);
  });
});

test("a stop is told with how it ended, if it did", () => {
  assert.equal(words(stoppedError("because", known(MX))), "extension 'x' (run) was stopped because.");
  const { code, message } = stoppedError("because", known(MX, [null, "SIGKILL"]));
  assert.deepEqual(
    [code, message.slice(0, 63)],
    ["closed", "extension 'x' (run) was stopped because and was ended by SIGKIL"],
  );
});

test("[X-05] its last words are quoted by where it said them, the last five of what was useless, and each line no longer than 500", () => {
  const useless = ["1", "2", "3", "4", "5"];
  const said = (manifest: ExtensionManifest, more: object) =>
    endedError(true, undefined, known(manifest, [1], more)).message.replace(/^.*? exited with code 1\./, "");
  assert.equal(said(MX, {}), " It wrote nothing to stderr.");
  assert.equal(
    said(MX, { stderr: ["a", "b"], stdout: ["c"], useless }),
    "\nIts last lines on stderr:\n    a\n    b\nIts last lines on stdout:\n    c\nIt also sent invalid messages:\n    1\n    2\n    3\n    4\n    5",
  );
  assert.equal(
    said(DHARA, { useless: ["0", ...useless] }),
    "\nIt also wrote invalid output to stdout, the last 5 of 6:\n    1\n    2\n    3\n    4\n    5",
  );
  assert.equal(said(DHARA, { stderr: ["x".repeat(501)] }), `\nIts last lines on stderr:\n    ${"x".repeat(500)}…`);
  assert.equal(said(DHARA, { stderr: ["x".repeat(500)] }), `\nIts last lines on stderr:\n    ${"x".repeat(500)}`);
});
