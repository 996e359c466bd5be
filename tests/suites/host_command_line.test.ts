/** Commands as strings (D29). */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { quoteCommand, shownCommand, tokenize } from "../../src/host/command_line.ts";

test("[D29] a command string is cut by the documented rules", () => {
  const table: readonly [string, string[]][] = [
    [`"/opt/My Ext/run" --name "a b" ""`, ["/opt/My Ext/run", "--name", "a b", ""]],
    [String.raw`node C:\x\y.js`, ["node", "C:\\x\\y.js"]],
    [String.raw`"C:\My Tools\run.exe" 'it is \ literal'`, ["C:\\My Tools\\run.exe", "it is \\ literal"]],
    [String.raw`"say \"hi\" \\" end`, ['say "hi" \\', "end"]],
    [`a'b c'"d e"f`, ["ab cd ef"]],
    ["  python3\tmain.py\n", ["python3", "main.py"]],
    ["a\r\nb\rc", ["a", "b", "c"]],
    [String.raw`'\\ \"'`, [String.raw`\\ \"`]],
    [`echo $HOME *.js "|" '&&'`, ["echo", "$HOME", "*.js", "|", "&&"]],
    ["", []],
  ];
  for (const [command, words] of table) assert.deepEqual(tokenize(command), words, command);
});

test("[D29] what would not do what it says is an error", () => {
  assert.throws(() => tokenize(`node "a b`), /" at column 6 of node "a b is never closed$/);
  const hint = /never closed \(in double quotes \\" is a quote: write \\\\" to end on a backslash\)$/;
  assert.throws(() => tokenize(String.raw`"C:\My Tools\"`), hint);
  assert.throws(() => tokenize(String.raw`"C:\x\" y`), /never closed/);
  assert.throws(() => tokenize("a && b"), /&& in a && b is a shell operator.*sh -c/);
  for (const operator of ["|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"]) {
    assert.throws(() => tokenize(`a ${operator} b`), { name: "CommandLineError", message: /shell operator/ });
  }
});

test("[D29] words survive being quoted and cut again", () => {
  const word = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('"', "'", "\\", " ", "\t", "a", "|", "&", ">") }),
  );
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const [command = "x", ...args] = words;
      assert.deepEqual(tokenize(quoteCommand(command, args)), [command, ...args]);
    }),
    { verbose: true },
  );
});

test("[D29] of a command that is very long a message shows the beginning", () => {
  assert.equal(shownCommand("a", ["b c"]), 'a "b c"');
  const shown = shownCommand("a", ["x".repeat(100_000)]);
  assert.equal(shown.length, 501);
  assert.match(shown, /^a x+…$/);
});
