/** What each field of a manifest takes and what it refuses, from code and from files. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkManifest, type ExtensionManifest } from "../../src/host/manifest.ts";
import { parseManifest, parseManifests } from "../../src/host/manifest_file.ts";

const LEAST = { id: "a", protocol: "mx", command: "x" };

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.equal((error as { code?: string }).code, "bad-manifest", String(error));
    return (error as Error).message;
  }
  throw new assert.AssertionError({ message: "it was taken" });
}

/** From a file of that name, beside what every manifest needs. */
function inFile(fields: object, file = "/m/a.json"): ExtensionManifest {
  return parseManifest(JSON.stringify({ ...LEAST, ...fields }), file);
}

describe("a field takes", () => {
  const taken: readonly [title: string, fields: object][] = [
    ["an id of 200 characters", { id: "é".repeat(200) }],
    ["restart: always", { restart: "always" }],
    ["the shortest and the longest time", { timeoutMs: 1, startTimeoutMs: 2 ** 31 - 1 }],
  ];
  for (const [title, fields] of taken) {
    test(title, () => assert.deepEqual(checkManifest({ ...LEAST, ...fields }), { ...LEAST, args: [], ...fields }));
  }

  test("remarks, which nobody reads", () => {
    const remarks = ["$schema", "name", "version", "description", "author", "license", "homepage"];
    const fields = Object.fromEntries(remarks.map((name) => [name, [name]]));
    assert.deepEqual(checkManifest({ ...LEAST, ...fields }), { ...LEAST, args: [] });
  });

  test("variables as texts, numbers and booleans, null and undefined to take one away, and __proto__ from code", () => {
    const env = { T: "t", N: 2.5, B: false, L: null, U: undefined, ...JSON.parse('{"__proto__":"p"}') };
    assert.deepEqual(Object.entries(checkManifest({ ...LEAST, env }).env ?? {}), [
      ["T", "t"],
      ["N", "2.5"],
      ["B", "false"],
      ["L", undefined],
      ["U", undefined],
      ["__proto__", "p"],
    ]);
  });

  test("lists that the program may change afterwards", () => {
    const given = { ...LEAST, args: ["x"], passEnv: ["PATH"] };
    const manifest = checkManifest(given);
    given.args.push("y");
    given.passEnv.push("SECRET");
    assert.deepEqual([manifest.args, manifest.passEnv], [["x"], ["PATH"]]);
  });
});

describe("a field refuses", () => {
  const refused: readonly [fields: object, message: RegExp][] = [
    [{ id: undefined }, /^the manifest: id is missing; give the extension a name$/],
    [{ id: "" }, /: id must be a string of 1 to 200 characters without control characters, not ""$/],
    [{ id: "x".repeat(201) }, /: id must be a string of 1 to 200 characters .*, not "x{59}…$/],
    [{ id: "a\u001f" }, /: id must be .* without control characters/],
    [{ id: "a\u007f" }, /: id must be .* without control characters/],
    [{ id: 5n }, /: id must be .*, not 5$/],
    [{ id: Number.NaN }, /: id must be .*, not NaN$/],
    [{ command: undefined }, /: command is missing; name the program to run, as in "python3 main\.py"$/],
    [{ command: 5 }, /: command must be a string or an array of strings, not 5$/],
    [{ command: {} }, /: command must be a string or an array of strings, not an object$/],
    [{ command: " " }, /: command is empty; name the program to run$/],
    [{ command: [] }, /: command is empty; name the program to run$/],
    [{ command: ["x", "\0"] }, /: command\[1\] must be a string, not "\\u0000"$/],
    [{ args: "x" }, /: args must be an array of strings, not "x"$/],
    [{ args: ["x", "a\0b"] }, /: args\[1\] must be a string, not "a\\u0000b"$/],
    [{ cwd: "" }, /: cwd must be the path of a folder, not ""$/],
    [{ env: [] }, /: env must be an object of names and values, not an array$/],
    [{ env: { "": "x" } }, /: env\. is not a valid variable name$/],
    [{ env: { "A=B": "x" } }, /: env\.A=B is not a valid variable name$/],
    [{ env: { "A\0": "x" } }, /is not a valid variable name$/],
    [{ env: { A: "a\0b" } }, /: env\.A must be a string, or null to remove the variable, not "a\\u0000b"$/],
    [{ restart: "never" }, /: restart must be true, false or "always", not "never"$/],
    [{ timeoutMs: 0 }, /: timeoutMs must be a number of milliseconds from 1 to 2147483647, not 0$/],
    [{ startTimeoutMs: 0.5 }, /: startTimeoutMs must be a number of milliseconds from 1/],
    [{ shutdownTimeoutMs: 2 ** 31 }, /: shutdownTimeoutMs must be .* to 2147483647, not 2147483648$/],
    [{ timeoutMs: Infinity }, /: timeoutMs must be .*, not Infinity$/],
    [{ runtime: { command: "y" } }, /: runtime is not a known field; the fields are id, protocol, command, /],
  ];
  for (const [fields, message] of refused) {
    const title = Object.entries(fields).map(([name, value]) => `${name}: ${String(value).slice(0, 20)}`);
    // Deno's report leaves this character out, which JSON does not escape.
    test(JSON.stringify(title.join()).replace("\u007f", "\\u007f"), () =>
      assert.match(
        refusal(() => checkManifest({ ...LEAST, ...fields })),
        message,
      ),
    );
  }
});

describe("a path of a file", () => {
  test("is relative to the file's folder, or to nothing where there is none", () => {
    const at = (file: string, command: string, cwd?: string) => {
      const { command: program, cwd: folder } = inFile({ command: [command], cwd }, file);
      return [program, folder];
    };
    assert.deepEqual(at("a.json", "./run.sh"), ["./run.sh", undefined]);
    assert.deepEqual(at("a.json", "bin/run", "work"), ["bin/run", "work"]);
    assert.deepEqual(at("m/a.json", "bin/run", "./work"), ["m/bin/run", "m/work"]);
    assert.deepEqual(at("/m/a.json", "/bin/run", "/work"), ["/bin/run", "/work"]);
    assert.deepEqual(at("C:\\m\\a.json", ".\\run.exe", "work"), ["C:\\m/run.exe", "C:\\m/work"]);
    assert.deepEqual(at("C:\\m\\a.json", "D:\\bin\\run.exe", "\\\\server\\work"), [
      "D:\\bin\\run.exe",
      "\\\\server\\work",
    ]);
    assert.deepEqual(at("/m/a.json", "C:/bin/run.exe", "C:/work"), ["C:/bin/run.exe", "C:/work"]);
  });
});

describe("Dhara's own form", () => {
  test("takes settings at its top and in runtime, which wins, and an id before the name", () => {
    const own = {
      id: "own",
      name: "other",
      timeoutMs: 1_000,
      restart: false,
      anything: [1],
      runtime: { command: "python3 main.py", timeoutMs: 2_000, passEnv: ["A"], cwd: "work" },
    };
    assert.deepEqual(parseManifest(JSON.stringify(own), "/m/manifest.json"), {
      id: "own",
      protocol: "dhara",
      command: "python3",
      args: ["main.py"],
      cwd: "/m/work",
      timeoutMs: 2_000,
      restart: false,
      passEnv: ["A"],
    });
  });

  test("names the field that is wrong in it", () => {
    const fault = (value: object) => refusal(() => checkManifest(value));
    assert.match(fault({ runtime: 5 }), /: runtime must be an object with type and command, not 5$/);
    assert.match(fault({ runtime: { command: "x" } }), /: name is missing; give the extension a name$/);
    assert.match(fault({ name: "x", runtime: {} }), /: runtime\.command is missing/);
    assert.match(
      fault({ name: "x", runtime: { command: ["x", 5] } }),
      /: runtime\.command\[1\] must be a string, not 5$/,
    );
  });
});

describe("a file", () => {
  test("is known by any ending of its format, and may begin with a byte order mark", () => {
    const json = JSON.stringify(LEAST);
    for (const [file, text] of [
      ["a.json", json],
      ["a.jsonc", json],
      ["A.JSON", json],
      ["a.yaml", json],
      ["A.YML", json],
      ["a.toml", 'id = "a"\nprotocol = "mx"\ncommand = "x"'],
      ["A.TOML", 'id = "a"\nprotocol = "mx"\ncommand = "x"'],
    ] as const) {
      assert.equal(parseManifest(`\ufeff${text}`, file).id, "a", file);
    }
  });

  test("holds one where one is meant, and may name a schema beside several", () => {
    const two = JSON.stringify({ $schema: "x", extensions: [LEAST, { ...LEAST, id: "b" }] });
    assert.equal(parseManifests(two, "a.json").length, 2);
    assert.match(
      refusal(() => parseManifest(two, "a.json")),
      /^a\.json: must contain exactly one extension; it contains several$/,
    );
  });

  test("may give an extension another id than the key that it stands under", () => {
    const ids = (extensions: object) => parseManifests(JSON.stringify({ extensions }), "a.json").map(({ id }) => id);
    assert.deepEqual(ids({ a: { ...LEAST, id: "z" }, b: { protocol: "mx", command: "x" } }), ["z", "b"]);
    assert.match(
      refusal(() => ids({ a: { ...LEAST, id: "b" }, b: { protocol: "mx", command: "x" } })),
      /"b" is used twice/,
    );
  });

  const faults: readonly [file: string, text: string, message: RegExp][] = [
    ["a.json", "", /^a\.json:1:1: is not JSON: a value is missing here$/],
    ["a.json", '{"id" 1,\n"x" 2}', /^a\.json:1:7: is not JSON: a colon is missing here$/],
    ["a.json", '{"extensions":{"a":5}}', /^a\.json:1:16: extensions\.a must be a manifest, not 5$/],
    ["a.json", '{"a":[0,\n{"__proto__":1}]}', /^a\.json:2:2: a\[1\]\.__proto__ is a key that is not allowed anywhere$/],
    ["a.yaml", "id: a\nb: [1\n", /^a\.yaml:3:1: is not YAML: [^\n]+$/],
    ["a.yaml", "id: a\n---\nid: b\n", /^a\.yaml:2:1: must contain one YAML document; list several extensions under /],
    ["a.yaml", "extensions:\n  a: {protocol: mx}\n", /^a\.yaml:2:3: extensions\.a\.command is missing/],
    ["a.toml", 'id = "a"\ncommand = x\n', /^a\.toml:2:11: is not TOML: invalid value$/],
    ["a.toml", 'id = "a"\nprotocol = "mx"\n', /^a\.toml:1:1: command is missing/],
    ["a.toml", "'id' = 'a'\n\"protocol\" = 'm'\n", /^a\.toml:2:1: protocol must be/],
    ["a.toml", "\n'id' = 5\n", /^a\.toml:2:1: id must be/],
    ["a.toml", "[extensions.'a b']\n  protocol = 'm'\n", /^a\.toml:2:3: extensions\.a b\.protocol must be/],
    ["a.toml", "extensions.a.id = 5\n", /^a\.toml:1:1: extensions\.a\.id must be/],
  ];
  for (const [file, text, message] of faults) {
    test(`${file} ${JSON.stringify(text)} is told where it is wrong`, () =>
      assert.match(
        refusal(() => parseManifests(text, file)),
        message,
      ));
  }
});
