/** Manifests from files of all three formats, and errors that point into them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkManifest, type ExtensionManifest } from "../../src/host/manifest.ts";
import { parseManifest, parseManifests } from "../../src/host/manifest_file.ts";

const JSON_TEXT = `{
  // With a comment, and a trailing comma.
  "id": "web", "protocol": "dhara", "command": "python3", "args": ["main.py", "a b"],
  "cwd": "work", "env": {"A": "1", "N": 2, "HOME": null}, "timeoutMs": 5000, "restart": false,
}`;
const YAML_TEXT = `id: web
protocol: dhara
command: python3
args: [main.py, a b]
cwd: work
env: {A: "1", N: 2, HOME: null}
timeoutMs: 5000
restart: false
`;
const TOML_TEXT = `id = "web"
protocol = "dhara"
command = "python3"
args = ["main.py", "a b"]
cwd = "work"
timeoutMs = 5000
restart = false
[env]
A = "1"
N = 2
`;

/** Without the null prototypes and the undefined values that only a program sees. */
function plain(manifest: ExtensionManifest): unknown {
  return JSON.parse(JSON.stringify(manifest));
}

function faultOf(text: string, file: string): string {
  try {
    parseManifests(text, file);
  } catch (error) {
    assert.equal((error as { code?: string }).code, "bad-manifest");
    return (error as Error).message;
  }
  throw new assert.AssertionError({ message: `${file} was taken: ${text}` });
}

describe("a manifest file", () => {
  for (const [file, text] of [
    ["/srv/web/extwire.json", JSON_TEXT],
    ["/srv/web/extwire.yaml", YAML_TEXT],
    ["/srv/web/extwire.yml", YAML_TEXT],
    ["/srv/web/extwire.toml", TOML_TEXT],
  ] as const) {
    test(`${file} is read, its paths relative to its folder`, () => {
      assert.deepEqual(plain(parseManifest(text, file)), {
        id: "web",
        protocol: "dhara",
        command: "python3",
        args: ["main.py", "a b"],
        cwd: "/srv/web/work",
        env: { A: "1", N: "2" },
        timeoutMs: 5000,
        restart: false,
      });
    });
  }

  test("Dhara's own manifest.json works as it is", () => {
    const text = `{"name":"web-tools","version":"1.0.0","description":"…","tools":["x"],"runtime":{"type":"subprocess","command":"python3 main.py"}}`;
    assert.deepEqual(plain(parseManifest(text, "/x/web/manifest.json")), {
      id: "web-tools",
      protocol: "dhara",
      command: "python3",
      args: ["main.py"],
      cwd: "/x/web/",
    });
    assert.match(
      faultOf(text.replace("subprocess", "wasm"), "m.json"),
      /^m\.json:1:\d+: runtime\.type must be "subprocess"/,
    );
  });

  test("[D29] a command is cut into words only where args is left out", () => {
    const command = (text: string) => {
      const { command, args } = parseManifest(`{"id":"a","protocol":"mx",${text}}`, "/m/a.json");
      return [command, ...(args ?? [])];
    };
    assert.deepEqual(command(`"command":"node 'my ext.js' \\"\\""`), ["node", "my ext.js", ""]);
    assert.deepEqual(command(`"command":"/opt/My Ext/run","args":["x"]`), ["/opt/My Ext/run", "x"]);
    assert.deepEqual(command(`"command":["node","my ext.js"]`), ["node", "my ext.js"]);
    assert.deepEqual(command(`"command":"./run.sh"`), ["/m/run.sh"]);
    assert.match(
      faultOf(`{"id":"a","protocol":"mx",\n"command":"a | b"}`, "a.json"),
      /^a\.json:2:1: command can't be split into words: \| in/,
    );
    assert.deepEqual(checkManifest({ id: "a", protocol: "mx", command: "My Program" }).command, "My Program");
  });

  test("several stand under extensions, as an array or by id", () => {
    const entry = { protocol: "mx", command: "x" };
    const ids = (value: unknown) => parseManifests(JSON.stringify(value), "a.json").map(({ id }) => id);
    assert.deepEqual(
      ids({
        extensions: [
          { id: "a", ...entry },
          { id: "b", ...entry },
        ],
      }),
      ["a", "b"],
    );
    assert.deepEqual(ids({ extensions: { a: entry, b: entry } }), ["a", "b"]);
    assert.deepEqual(ids({ extensions: [] }), []);
    const toml = `[[extensions]]\nid="a"\nprotocol="mx"\ncommand="x"\n[[extensions]]\nid="a"\nprotocol="mx"\ncommand="x"\n`;
    assert.match(faultOf(toml, "a.toml"), /^a\.toml:6:1: extensions\[1\]\.id "a" is used twice/);
    assert.match(
      faultOf(`{"extensions":[],"id":"x"}`, "a.json"),
      /^a\.json:1:18: id is not allowed next to "extensions"/,
    );
    assert.throws(() => parseManifest(`{"extensions":[]}`, "a.json"), /exactly one extension; it contains none/);
  });
});

describe("a wrong manifest gets the file, the line, the column and the field", () => {
  const rest = `protocol: mx\ncommand: x\n`;
  const table: readonly (readonly [file: string, text: string, expected: RegExp])[] = [
    ["a.json", "", /^a\.json:1:1: is (empty|not JSON)/],
    ["a.json", "{", /^a\.json:1:2: is not JSON/],
    ["a.json", `{"id":"a"\n"protocol":"mx"}`, /^a\.json:2:1: is not JSON: a comma is missing here/],
    ["a.json", `{"id":"a",\n "id":"b"}`, /^a\.json:2:2: has the field id twice/],
    ["a.json", "[]", /^a\.json:1:1: must be a manifest: an object with id, protocol and command, not an array/],
    ["a.json", `{"id":"a","protocol":"mx"}`, /^a\.json:1:1: command is missing/],
    [
      "a.json",
      `{"id":"a","protocol":"mx",\n  "comand":"x"}`,
      /^a\.json:2:3: comand is not a known field; did you mean command\?/,
    ],
    [
      "a.json",
      `{"id":"a","protocol":"mx","command":"x",\n"env":{"__proto__":{"A":"1"}}}`,
      /^a\.json:2:8: env\.__proto__ is a key that is not allowed/,
    ],
    [
      "a.json",
      `{"id":"a","protocol":"mx","command":"x",\n"args":["y",\n3]}`,
      /^a\.json:3:1: args\[1\] must be a string, not 3/,
    ],
    ["a.yaml", "", /^a\.yaml:1:1: is empty/],
    ["a.yaml", `id: "a\n${rest}`, /^a\.yaml:\d+:\d+: is not YAML/],
    [
      "a.yaml",
      `id: a\n${rest}timeoutMs: fast\n`,
      /^a\.yaml:4:1: timeoutMs must be a number of milliseconds from 1 to 2147483647, not "fast"/,
    ],
    ["a.yaml", `id: a\n${rest}timeoutMs: -1\n`, /^a\.yaml:4:1: timeoutMs must be/],
    ["a.yaml", `id: a\n${rest}restart: perhaps\n`, /^a\.yaml:4:1: restart must be true, false or "always"/],
    ["a.yaml", `id: a\n${rest}env:\n  A: 1\n  __proto__: {x: 1}\n`, /^a\.yaml:6:3: env\.__proto__ is a key/],
    [
      "a.yaml",
      `id: a\n${rest}env:\n  MX_EXTENSION_TOKEN: x\n`,
      /^a\.yaml:5:3: env\.MX_EXTENSION_TOKEN is set by the host/,
    ],
    [
      "a.yaml",
      `id: a\n${rest}env:\n  B: [1]\n`,
      /^a\.yaml:5:3: env\.B must be a string, or null to remove the variable, not an array/,
    ],
    ["a.yaml", `id: a\nprotocol: http\ncommand: x\n`, /^a\.yaml:2:1: protocol must be "dhara" or "mx", not "http"/],
    ["a.yaml", `id: a\ncommand: x\n`, /^a\.yaml:1:1: protocol is missing; write "dhara" or "mx"/],
    ["a.yaml", `id: "a\\nb"\n${rest}`, /^a\.yaml:1:1: id must be a string of 1 to 200 characters/],
    [
      "a.yaml",
      `extensions:\n  - id: a\n    protocol: mx\n    command: x\n  - id: b\n    protocol: mx\n    cwd: 3\n`,
      /^a\.yaml:5:5: extensions\[1\]\.command is missing/,
    ],
    ["a.toml", `id = "a\n`, /^a\.toml:1:\d+: is not TOML/],
    ["a.toml", `id = "a"\nprotocol = "mx"\ncommand = ""\n`, /^a\.toml:3:1: command is empty/],
    [
      "a.toml",
      `id = "a"\nprotocol = "mx"\ncommand = "x"\n\n[env]\nA = 1979-05-27\n`,
      /^a\.toml:6:1: env\.A must be a string/,
    ],
    [
      "a.toml",
      `id = "a"\nprotocol = "mx"\ncommand = "x"\n[env.__proto__]\nA = "1"\n`,
      /^a\.toml:4:1: env\.__proto__ is a key/,
    ],
    ["a.txt", "x", /^a\.txt: is not a manifest file name; it must end in \.json, \.jsonc, \.yaml, \.yml or \.toml/],
  ];
  for (const [file, text, expected] of table) {
    test(`${file} ${JSON.stringify(text)}`, () => assert.match(faultOf(text, file), expected));
  }

  test("and what is nested too deeply is refused before the stack ends", () => {
    const deep = 20_000;
    const arrays = "[".repeat(deep) + "]".repeat(deep);
    const objects = `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`;
    const files: readonly [file: string, text: string][] = [
      ["a.json", arrays],
      ["a.json", objects],
      ["a.json", `{"id":${"[".repeat(200)}${"]".repeat(200)}}`],
      ["a.yaml", arrays],
      ["a.yaml", objects],
      ["a.yaml", "- ".repeat(deep)],
      ["a.yaml", `id: x\n${"? ".repeat(deep)}`],
      ["a.yaml", Array.from({ length: 200 }, (_, i) => `${" ".repeat(i)}a:\n`).join("")],
      ["a.toml", `a = ${arrays}`],
      ["a.toml", `${"a.".repeat(deep)}b = 1`],
      ["a.toml", `[${"a.".repeat(deep)}b]`],
    ];
    for (const [file, text] of files) {
      assert.match(
        faultOf(text, file),
        /^a\.\w+(:\d+:\d+)?: is (nested more than 100 levels deep|not TOML: .*nested)/,
        text.slice(0, 30),
      );
    }
  });

  test("and the place of an error is found at once in lines of spaces", () => {
    const spaces = `args = ["""\n${" ".repeat(1_000_000)}x\n"""]\n`;
    const toml = `id = "a"\nprotocol = "mx"\n${spaces}  command   =  5\n`;
    assert.match(faultOf(toml, "a.toml"), /^a\.toml:6:3: command must be a string/);
  });

  test("and a bomb of YAML aliases is refused", () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(",")}]`,
    );
    assert.match(faultOf(`l0: &l0 [x]\n${levels.join("\n")}\n`, "a.yaml"), /^a\.yaml/);
  });

  test("nothing in a manifest changes a prototype", () => {
    for (const [file, text] of [
      ["a.json", `{"id":"a","protocol":"mx","command":"x","env":{"constructor":"c","toString":"t"}}`],
      ["a.yaml", `id: a\n${rest}env: {constructor: c, toString: t}\n`],
      ["a.toml", `id="a"\nprotocol="mx"\ncommand="x"\n[env]\nconstructor="c"\ntoString="t"\n`],
    ] as const) {
      assert.deepEqual({ ...parseManifest(text, file).env }, { constructor: "c", toString: "t" });
    }
    assert.equal(({} as Record<string, unknown>)["A"], undefined);
  });
});
