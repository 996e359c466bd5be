/** What a decoder promises beside what comes out: limits that change, ends, errors a person understands. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CodecError, CodecNotice, Decoder, DecoderSink } from "../../codec/codec.ts";
import { encodeFrames, encodeLines } from "../../codec/encode.ts";
import { CODECS } from "../support/codec/codecs.ts";
import type { Format } from "../support/codec/record.ts";

interface Collector extends DecoderSink {
  readonly texts: string[];
  readonly notices: CodecNotice[];
  readonly failures: CodecError[];
}

function collector(onText?: (text: string) => void): Collector {
  const texts: string[] = [];
  const notices: CodecNotice[] = [];
  const failures: CodecError[] = [];
  return {
    texts,
    notices,
    failures,
    text(text) {
      texts.push(text);
      onText?.(text);
    },
    attachment: (body) => texts.push(`attachment ${body.length}`),
    notice: (notice) => notices.push(notice),
    fail: (error) => failures.push(error),
  };
}

function encode(format: Format, texts: readonly string[]): Uint8Array {
  if (format === "lines") return encodeLines(texts);
  return encodeFrames(texts)[0] as Uint8Array;
}

for (const { title, codec } of CODECS) {
  for (const format of ["lines", "frames"] as const) {
    describe(`${format} by ${title}`, () => {
      const small = Array.from({ length: 40 }, (_, index) => `{"number":${index},"fill":"é${"x".repeat(index)}"}`);
      const large = `{"fill":"${"y".repeat(500)}"}`;

      test(`[X-06] a limit raised inside a message's handler holds for the rest of its chunk, ${format} by ${title}`, () => {
        const sink = collector((text) => {
          if (text === small[20]) decoder.setMaxMessageBytes(1000, "later");
        });
        const decoder: Decoder = codec[format](sink, { maxMessageBytes: 100, limitName: "maxHelloBytes" });
        decoder.push(encode(format, [...small, large]));
        assert.deepEqual(sink.failures, []);
        assert.deepEqual(sink.texts, [...small, large]);
      });

      test(`[X-06] a limit lowered inside a message's handler holds for the rest of its chunk, ${format} by ${title}`, () => {
        const sink = collector((text) => {
          if (text === small[5]) decoder.setMaxMessageBytes(50, "lowered");
        });
        const decoder: Decoder = codec[format](sink);
        decoder.push(encode(format, small));
        assert.equal(sink.failures[0]?.code, "limit");
        assert.match(sink.failures[0]?.message ?? "", /lowered \(50 bytes\)/);
        const length = format === "lines" ? 0 : 1;
        const fitting = small.filter(
          (text, index) => index <= 5 || new TextEncoder().encode(text).length + length <= 50,
        );
        assert.deepEqual(sink.texts, fitting);
      });

      test(`[X-06] a limit lowered in a chunk of a few short messages holds for the next of them, ${format} by ${title}`, () => {
        const texts = ["[1]", "[22]", "[333]", `["${"x".repeat(60)}"]`, "[4]"];
        const sink = collector((text) => {
          if (text === "[1]") decoder.setMaxMessageBytes(20, "lowered");
        });
        const decoder: Decoder = codec[format](sink);
        decoder.push(encode(format, texts));
        assert.deepEqual(sink.texts, texts.slice(0, 3));
        assert.match(sink.failures[0]?.message ?? "", /lowered \(20 bytes\)/);
        assert.equal(sink.failures[0]?.offset, encode(format, texts.slice(0, 3)).length);
      });

      test(`[X-06] a message that comes in pieces is judged by the limit when it started, not by the first one, ${format} by ${title}`, () => {
        for (const [first, then, fails] of [
          [1000, 50, true],
          [50, 1000, false],
        ] as const) {
          const sink = collector();
          const decoder: Decoder = codec[format](sink, { maxMessageBytes: first });
          decoder.push(encode(format, ["[1]"]));
          decoder.setMaxMessageBytes(then, "later");
          const bytes = encode(format, [large]);
          for (let at = 0; at < bytes.length; at += 40) decoder.push(bytes.subarray(at, at + 40));
          assert.deepEqual(sink.texts, fails ? ["[1]"] : ["[1]", large]);
          assert.equal(sink.failures.length, fails ? 1 : 0);
          if (fails) assert.match(sink.failures[0]?.message ?? "", /later \(50 bytes\)/);
        }
      });

      test(`[X-06] a message keeps the limit that it started under, ${format} by ${title}`, () => {
        for (const [before, after, fails] of [
          [1000, 10, false],
          [100, 1000, true],
        ] as const) {
          const sink = collector();
          const decoder = codec[format](sink, { maxMessageBytes: before });
          const bytes = encode(format, [large]);
          decoder.push(bytes.subarray(0, 3));
          decoder.setMaxMessageBytes(after);
          decoder.push(bytes.subarray(3));
          assert.equal(sink.failures.length, fails ? 1 : 0);
          assert.equal(sink.texts.length, fails ? 0 : 1);
        }
      });

      test(`what of a message has come whose end has not is told, ${format} by ${title}`, () => {
        const decoder = codec[format](collector());
        assert.equal(decoder.unfinished(), undefined);
        const whole = encode(format, small);
        decoder.push(whole);
        assert.equal(decoder.unfinished(), undefined);
        const bytes = encode(format, [large]);
        for (let at = 0; at < bytes.length; at += 60) {
          decoder.push(bytes.subarray(at, at + 60));
          const came = Math.min(at + 60, bytes.length);
          const told = decoder.unfinished();
          if (came === bytes.length) assert.equal(told, undefined);
          else if (format === "lines") {
            const shown = JSON.stringify(`${large.slice(0, Math.min(120, came))}${came > 120 ? "…" : ""}`);
            assert.equal(
              told,
              `the line at byte ${whole.length} has ${came} bytes but no LF yet (every message must end with one): ${shown}`,
            );
          } else
            assert.equal(
              told,
              `the frame at byte ${whole.length} is incomplete: ${came} of ${bytes.length} bytes have arrived`,
            );
        }
        decoder.push(bytes.subarray(0, 2));
        assert.match(
          decoder.unfinished() ?? "",
          format === "lines" ? /has 2 bytes/ : /2 bytes of the 4-byte length have arrived$/,
        );
      });

      test(`[X-06] a limit is a number of bytes from 1 up, ${format} by ${title}`, () => {
        for (const limit of [0, -1, Number.NaN]) {
          assert.throws(() => codec[format](collector(), { maxMessageBytes: limit }), RangeError);
          assert.throws(() => codec[format](collector()).setMaxMessageBytes(limit), RangeError);
        }
      });

      test(`[M-01] [D-01] a handler may push into another decoder of the same codec, ${format} by ${title}`, () => {
        const inner = collector();
        const innerDecoder = codec[format](inner);
        const outer = collector((text) => innerDecoder.push(encode(format, [text, "inner 漢字".repeat(30)])));
        codec[format](outer).push(encode(format, small));
        assert.deepEqual(outer.texts, small);
        assert.deepEqual(
          inner.texts,
          small.flatMap((text) => [text, "inner 漢字".repeat(30)]),
        );
      });

      test(`[D-01] [M-01] after its end or a failure a decoder says nothing more, ${format} by ${title}`, () => {
        const ended = collector();
        const decoder = codec[format](ended);
        decoder.push(encode(format, ["{}"]));
        decoder.end();
        decoder.end();
        decoder.push(encode(format, ["{}"]));
        assert.deepEqual([ended.texts, ended.failures], [["{}"], []]);
        const failed = collector();
        const failing = codec[format](failed, { maxMessageBytes: 10 });
        failing.push(encode(format, ["{}", large, "{}"]));
        failing.push(encode(format, ["{}"]));
        failing.end();
        assert.deepEqual(failed.texts, ["{}"]);
        assert.equal(failed.failures.length, 1);
        assert.equal(failed.failures[0]?.offset, failing.consumed);
      });
    });
  }

  test(`[X-11] [M-03] a handler may copy pixels in the middle of a chunk, by ${title}`, () => {
    const layout = { width: 2000, height: 2, stride: 8000, format: "bgrx" } as const;
    const body = new Uint8Array(16_000).fill(1);
    const texts = Array.from({ length: 20 }, (_, index) => `"漢字 ${index}"`);
    const got: string[] = [];
    const decoder = codec.frames({
      ...collector(),
      text: (text) => got.push(text),
      attachment: (attachment) => got.push(String(codec.pixels(body, layout)[attachment.length])),
    });
    const pieces = encodeFrames([...texts, [new Uint8Array(3)], ...texts]);
    decoder.push(new Uint8Array(pieces.flatMap((piece) => Array.from(piece))));
    assert.deepEqual(got, [...texts, "255", ...texts]);
  });

  test(`[A3] [D-01] only LF ends a line: not U+2028, U+2029, U+0085, VT, FF nor a lone CR, by ${title}`, () => {
    const text = '{"a":"\u2028 \u2029 \u0085 \v \f \r end"}';
    const sink = collector();
    const decoder = codec.lines(sink);
    decoder.push(encodeLines([text, "{}"]));
    assert.deepEqual(sink.texts, [text, "{}"]);
  });

  test(`[A8] [D-01] empty and blank lines are ignored without a word, by ${title}`, () => {
    const sink = collector();
    const decoder = codec.lines(sink);
    decoder.push(new TextEncoder().encode("\n\n\r\n  \t\r\n{}\n\n"));
    decoder.end();
    assert.deepEqual([sink.texts, sink.notices, sink.failures], [["{}"], [], []]);
  });

  test(`[A5] [A6] [D-01] ten thousand junk lines in one chunk and then a response, by ${title}`, () => {
    const sink = collector();
    const response = '{"jsonrpc":"2.0","id":1,"result":null}';
    codec.lines(sink).push(encodeLines(["started ok", ...Array<string>(10_000).fill("junk"), response]));
    assert.equal(sink.texts.length, 10_002);
    assert.equal(sink.texts.at(-1), response);
  });

  test(`[A14] [D-01] a notice says which message was not UTF-8, by ${title}`, () => {
    const sink = collector();
    codec.lines(sink).push(new Uint8Array([0x7b, 0x7d, 0x0a, 0x22, 0x97, 0x22, 0x0a]));
    assert.match(sink.notices[0]?.message ?? "", /^line at byte 3 is not UTF-8/);
    assert.deepEqual(sink.texts, ["{}", '"\ufffd"']);
  });

  test(`[D-01] a line in pieces ends wherever its line end lies in a chunk, by ${title}`, () => {
    const encoder = new TextEncoder();
    // Every place among the first, then those around each step of a search that takes larger and larger steps.
    const places = Array.from({ length: 1100 }, (_, place) => place);
    for (const step of [5120, 16_384, 21_504, 37_888]) for (let by = -2; by <= 2; by++) places.push(step + by);
    for (const place of places) {
      const sink = collector();
      const decoder = codec.lines(sink);
      decoder.push(encoder.encode("<"));
      decoder.push(encoder.encode(`${"a".repeat(place)}\n${"b".repeat(300)}\n`));
      assert.deepEqual(sink.texts, [`<${"a".repeat(place)}`, "b".repeat(300)], `a line end at byte ${place}`);
    }
  });

  test(`[X-13] [B1] text where frames should be is refused with what it says, by ${title}`, () => {
    const sink = collector();
    codec.frames(sink).push(new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n"));
    const message = sink.failures[0]?.message ?? "";
    assert.match(message, /frame at byte 0 claims 1195725856 bytes, which exceeds maxMessageBytes \(67108864 bytes\)/);
    assert.match(message, /47 45 54 20 \("GET "\).*looks like text/);
  });

  test(`[X-13] [B4] [B10] an unknown kind costs its own frame, a frame without a kind the connection, by ${title}`, () => {
    const sink = collector();
    const decoder = codec.frames(sink);
    decoder.push(new Uint8Array([0, 0, 0, 3, 7, 1, 2, 0, 0, 0, 3, 0, 0x7b, 0x7d, 0, 0, 0, 0]));
    assert.deepEqual(sink.texts, ["{}"]);
    assert.match(sink.notices[0]?.message ?? "", /byte 0 has the unknown kind 7; its 2 bytes were skipped/);
    assert.deepEqual([sink.failures[0]?.code, sink.failures[0]?.offset], ["malformed", 14]);
    assert.match(sink.failures[0]?.message ?? "", /byte 14 .*00 00 00 00/);
  });

  test(`[X-13] [B9] the end inside a frame is an error that says how much is missing, by ${title}`, () => {
    const sink = collector();
    const decoder = codec.frames(sink);
    decoder.push(new Uint8Array([0, 0, 0, 9, 0, 0x7b]));
    decoder.end();
    assert.equal(sink.failures[0]?.code, "truncated");
    assert.match(sink.failures[0]?.message ?? "", /after 6 of 13 bytes of the frame at byte 0/);
  });
}
