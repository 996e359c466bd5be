/** Messages to bytes, and back through every codec. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeFrames, encodeLines, type OutgoingFrame } from "../../codec/encode.ts";
import { CODECS } from "../support/codec/codecs.ts";
import { hex } from "../support/codec/record.ts";
import { Random } from "../support/random.ts";

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(pieces.flatMap((piece) => Array.from(piece)));
}

test("[D-01] [A4] a line is the text in UTF-8 and an LF, with no byte order mark", () => {
  assert.equal(hex(encodeLines(["{}", '"é"'])), "7b7d0a22c3a9220a");
  assert.equal(encodeLines([]).length, 0);
});

test("[D-01] a line feed between the tokens of a text cannot end its line", () => {
  assert.equal(new TextDecoder().decode(encodeLines(['{\n  "a": 1\r\n}', "[]"])), '{   "a": 1\r }\n[]\n');
});

test("[M-01] [M-02] [B2] a text frame counts bytes, not characters, and has no byte order mark", () => {
  assert.equal(hex(joined(encodeFrames(["{}"]))), "00000003007b7d");
  assert.equal(hex(joined(encodeFrames(['"ü😀"', "{}"]))), "000000090022c3bcf09f9880220000000300" + "7b7d");
  assert.equal(hex(joined(encodeFrames(["", "x".repeat(256)])).subarray(0, 11)), "0000000100" + "000001010078");
});

test("[M-03] [B6] an attachment is its header and its own parts, uncopied and in their order", () => {
  const [first, second, empty] = [new Uint8Array([1, 2]), new Uint8Array([3]), new Uint8Array(0)];
  const pieces = encodeFrames(["é", [first, empty, second], "{}", [], [second]]);
  assert.equal(
    hex(joined(pieces)),
    "0000000300c3a9" + "0000000401010203" + "00000003007b7d" + "0000000101" + "000000020103",
  );
  assert.equal(pieces[1], first);
  assert.equal(pieces[2], second);
  assert.equal(pieces.at(-1), second);
  // A header shares a piece with the texts before it, so that nothing gets between.
  assert.equal(pieces.length, 6);
});

test("[M-01] a payload that its length cannot say is refused", () => {
  const part = { length: 2 ** 32 } as Uint8Array;
  assert.throws(() => encodeFrames([[part]]), RangeError);
});

test("[M-02] what was encoded is not touched by encoding more", () => {
  const first = encodeFrames(["漢字", "{}"]);
  const before = hex(joined(first));
  for (let count = 0; count < 100; count++) encodeFrames(["other 漢字", "other"]);
  assert.equal(hex(joined(first)), before);
});

test("[D-01] [M-01] [M-02] [M-03] [A1] [A2] [B2] random messages come back from every codec as they were", () => {
  const random = new Random(7);
  const pieces = ["{}", '{"a":[1,2,3]}', "é", "—", "😀", "漢字", "\u2028", "x".repeat(300), '"'];
  for (let round = 0; round < 2000; round++) {
    const messages: OutgoingFrame[] = Array.from({ length: random.int(10) }, () =>
      random.chance(4)
        ? Array.from({ length: random.int(3) }, () => new Uint8Array(random.int(50)).fill(random.int(256)))
        : Array.from({ length: 1 + random.int(4) }, () =>
            random.pick(random.chance(2) ? pieces.slice(0, 2) : pieces),
          ).join(""),
    );
    const texts = messages.filter((message) => typeof message === "string");
    const expected = messages.map((message) => (typeof message === "string" ? message : hex(joined(message))));
    for (const { title, codec } of CODECS) {
      const got: string[] = [];
      const sink = {
        text: (text: string) => void got.push(text),
        attachment: (body: Uint8Array) => void got.push(hex(body)),
        notice: ({ message }: { message: string }) => assert.fail(message),
        fail: (error: Error) => assert.fail(error),
      };
      const frames = codec.frames(sink);
      for (const piece of encodeFrames(messages)) frames.push(piece);
      frames.end();
      assert.deepEqual(got, expected, title);
      got.length = 0;
      const lines = codec.lines(sink);
      lines.push(encodeLines(texts));
      lines.end();
      assert.deepEqual(got, texts, title);
    }
  }
});
