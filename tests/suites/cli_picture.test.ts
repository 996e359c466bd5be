import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deflateSync } from "node:zlib";
import { graphicsProtocol, graphicsText } from "../../src/cli/graphics.ts";
import { halfBlocks } from "../../src/cli/half_blocks.ts";
import { decodePng } from "../../src/cli/png_decode.ts";
import { printable } from "../../src/cli/printable.ts";
import { colorDepth } from "../../src/cli/style.ts";
import { textWidth, truncate, wrap } from "../../src/cli/text_width.ts";
import { encodePng } from "../../src/mx/png.ts";
import { makePng } from "../support/png.ts";

describe("PNG", () => {
  test("what our encoder wrote is read back, pixel for pixel", async () => {
    const rgba = Uint8Array.from({ length: 37 * 11 * 4 }, (_, i) => (i * 7919) & 255);
    assert.deepEqual(decodePng(await encodePng(37, 11, rgba)), { width: 37, height: 11, rgba });
  });

  test("every colour type and every filter", () => {
    // Many neighbours are alike or equally far from the guess.
    const grey = Array.from({ length: 16 * 16 }, (_, i) => ((i * 7_919 * (i + 31)) % 101) % 6);
    const expected = grey.flatMap((value) => [value, value, value, 255]);
    for (let filter = 0; filter <= 4; filter++) {
      const picture = decodePng(makePng({ width: 16, height: 16, type: 0, samples: 1, raw: grey, filter }));
      assert.deepEqual([...picture!.rgba], expected, `filter ${filter}`);
    }
    const one = (type: number, samples: number, raw: number[], extra = {}): number[] => [
      ...decodePng(makePng({ width: 1, height: 1, type, samples, raw, filter: 0, ...extra }))!.rgba,
    ];
    assert.deepEqual(one(2, 3, [1, 2, 3]), [1, 2, 3, 255]);
    assert.deepEqual(one(3, 1, [1], { palette: [0, 0, 0, 9, 8, 7], alpha: [255, 100] }), [9, 8, 7, 100]);
    assert.deepEqual(one(3, 1, [1], { palette: [0, 0, 0, 9, 8, 7], alpha: [100] }), [9, 8, 7, 255]);
    assert.deepEqual(one(3, 1, [1], { palette: [0, 0, 0, 9, 8, 7] }), [9, 8, 7, 255]);
    assert.deepEqual(one(3, 1, [1]), [0, 0, 0, 255]);
    assert.deepEqual(one(4, 2, [5, 6]), [5, 5, 5, 6]);
    assert.deepEqual(one(6, 4, [1, 2, 3, 4]), [1, 2, 3, 4]);
  });

  test("damage, other formats and pictures made to fill memory are not shown", async () => {
    const png = await encodePng(4, 4, new Uint8Array(64));
    // Its last chunk says no more than that it is the last.
    for (let at = 0; at < png.length - 12; at++) assert.equal(decodePng(png.subarray(0, at)), undefined, `${at} bytes`);
    for (let at = 0; at < png.length; at++) {
      const flipped = png.slice();
      flipped[at]! ^= 1;
      assert.equal(decodePng(flipped), undefined, `byte ${at}`);
    }
    assert.equal(decodePng(new Uint8Array([0xff, 0xd8, 0xff])), undefined);
    assert.equal(decodePng(new Uint8Array(0)), undefined);
    const parts = { width: 4, height: 4, type: 6, samples: 4, raw: new Array(64).fill(9), filter: 0 };
    assert.equal(decodePng(makePng(parts))?.width, 4);
    for (const [what, more] of [
      ["16 bits a channel", { rest: [16, 6, 0, 0, 0] }],
      ["interlaced", { rest: [8, 6, 0, 0, 1] }],
      ["a colour type that does not exist", { rest: [8, 5, 0, 0, 0] }],
      ["a header that is cut", { rest: [8] }],
      ["no columns", { width: 0, data: deflateSync(new Uint8Array(4)) }],
      ["no rows", { height: 0, raw: [] }],
      ["a filter that does not exist", { filter: 5 }],
      ["a row too few", { raw: parts.raw.slice(16) }],
      ["a row too many", { raw: [...parts.raw, ...parts.raw.slice(0, 16)] }],
      ["data that is not compressed", { data: new Uint8Array(64) }],
      ["more data than it has pixels", { data: deflateSync(new Uint8Array(1_000_000)) }],
      ["fewer data than pixels", { width: 1_000_000, height: 1_000_000 }],
      [
        "too many pixels",
        { width: 2 ** 26 + 1, height: 1, samples: 1, type: 0, data: deflateSync(new Uint8Array(2 ** 26 + 2)) },
      ],
    ] as const) {
      assert.equal(decodePng(makePng({ ...parts, ...more })), undefined, what);
    }
  });
});

describe("half blocks", () => {
  const RED = [255, 0, 0, 255];
  const BLUE = [0, 0, 255, 255];

  test("two pixels a character, the upper one in front", () => {
    const picture = { width: 1, height: 2, rgba: new Uint8Array([...RED, ...BLUE]) };
    assert.deepEqual(halfBlocks(picture, 10, 10, "truecolor"), ["\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[0m"]);
    assert.deepEqual(halfBlocks(picture, 10, 10, "256"), ["\x1b[38;5;196;48;5;21m▀\x1b[0m"]);
  });

  test("the last row of an odd height leaves the background alone", () => {
    const lines = halfBlocks({ width: 1, height: 1, rgba: new Uint8Array(RED) }, 10, 10, "truecolor");
    assert.deepEqual(lines, ["\x1b[38;2;255;0;0;49m▀\x1b[0m"]);
  });

  test("a large picture is made to fit, its form kept, each pixel the mean of those it covers", () => {
    const rgba = new Uint8Array(640 * 400 * 4).map((_, i) => (i % 4 === 3 ? 255 : (Math.floor(i / 4) % 2) * 200));
    const lines = halfBlocks({ width: 640, height: 400, rgba }, 32, 100, "truecolor");
    assert.equal(lines.length, 10);
    for (const line of lines) {
      assert.equal(textWidth(line), 32);
      assert.equal(line, `\x1b[38;2;100;100;100;48;2;100;100;100m${"▀".repeat(32)}\x1b[0m`);
    }
  });

  test("a strip is never thinner than a character, and a high picture is as high as it may be", () => {
    const sizes = (width: number, height: number) => {
      const lines = halfBlocks({ width, height, rgba: new Uint8Array(width * height * 4) }, 10, 5, "truecolor");
      return [textWidth(lines[0]!), lines.length];
    };
    assert.deepEqual(sizes(1_000, 1), [10, 1]);
    assert.deepEqual(sizes(1, 1_000), [1, 5]);
    assert.deepEqual(sizes(20, 100), [2, 5]);
    assert.deepEqual(sizes(3, 4), [3, 2]);
  });

  test("what shines through is black", () => {
    const picture = { width: 1, height: 1, rgba: new Uint8Array([200, 100, 50, 51]) };
    assert.deepEqual(halfBlocks(picture, 1, 1, "truecolor"), ["\x1b[38;2;40;20;10;49m▀\x1b[0m"]);
  });

  test("256 colours are the nearer ones of a cube and a ramp of greys", () => {
    for (const [pixel, color] of [
      [[18, 18, 18], 233],
      [[0, 0, 0], 16],
      [[1, 1, 1], 16],
      [[238, 238, 238], 255],
      [[248, 248, 248], 231],
      [[255, 255, 255], 231],
      [[95, 135, 175], 67],
    ] as const) {
      const picture = { width: 1, height: 1, rgba: new Uint8Array([...pixel, 255]) };
      assert.deepEqual(halfBlocks(picture, 1, 1, "256"), [`\x1b[38;5;${color};49m▀\x1b[0m`]);
    }
  });
});

describe("graphics", () => {
  const terminals: readonly [string, Record<string, string>, string | undefined][] = [
    ["kitty", { TERM: "xterm-kitty" }, "kitty"],
    ["ghostty", { TERM: "xterm-ghostty" }, "kitty"],
    ["kitty with another TERM", { TERM: "xterm-256color", KITTY_WINDOW_ID: "1" }, "kitty"],
    ["ghostty with another TERM", { TERM: "xterm-256color", TERM_PROGRAM: "ghostty" }, "kitty"],
    ["iTerm2", { TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, "iterm2"],
    ["iTerm2 over ssh", { TERM: "xterm-256color", LC_TERMINAL: "iTerm2" }, "iterm2"],
    ["WezTerm", { TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" }, "iterm2"],
    ["xterm", { TERM: "xterm-256color" }, undefined],
    ["kitty inside tmux", { TERM: "tmux-256color", KITTY_WINDOW_ID: "1", TMUX: "/tmp/x" }, undefined],
    ["kitty inside screen", { TERM: "xterm-kitty", STY: "1.x" }, undefined],
    ["kitty inside zellij", { TERM: "xterm-kitty", ZELLIJ: "0" }, undefined],
    ["kitty inside tmux over ssh", { TERM: "screen-256color", KITTY_WINDOW_ID: "1" }, undefined],
    ["mintty inside tmux over ssh", { TERM: "tmux-256color", TERM_PROGRAM: "mintty" }, undefined],
  ];
  for (const [name, env, expected] of terminals) {
    test(`${name} takes ${expected ?? "none"}`, () => assert.equal(graphicsProtocol(env), expected));
  }

  test("kitty gets the PNG in chunks of at most 4,096 characters", () => {
    // Not all of its buffer.
    const png = new Uint8Array(10_001).map((_, i) => i).subarray(1);
    const text = graphicsText("kitty", png, 40);
    assert.ok(text.endsWith("\x1b\\\n"));
    const chunks = [...text.matchAll(/\x1b_G([^;]*);([^\x1b]*)\x1b\\/g)];
    assert.deepEqual(
      chunks.map(([, options]) => options),
      ["a=T,f=100,q=2,c=40,m=1", "m=1", "m=1", "m=0"],
    );
    assert.ok(chunks.every(([, , data]) => data!.length <= 4_096));
    assert.deepEqual(new Uint8Array(Buffer.from(chunks.map(([, , data]) => data).join(""), "base64")), png);
    assert.match(
      graphicsText("kitty", png.subarray(0, 3_072), 40),
      /^\x1b_Ga=T,f=100,q=2,c=40,m=0;[^\x1b]{4096}\x1b\\\n$/,
    );
  });

  test("iTerm2 gets it in one sequence", () => {
    const text = graphicsText("iterm2", new Uint8Array([1, 2, 3]), 40);
    assert.equal(text, "\x1b]1337;File=inline=1;size=3;width=40;preserveAspectRatio=1:AQID\x07\n");
  });
});

test("colours: none where nobody sees them or they are not wanted", () => {
  assert.equal(colorDepth(false, { TERM: "xterm-256color" }), "none");
  assert.equal(colorDepth(true, { TERM: "xterm-256color" }), "256");
  assert.equal(colorDepth(true, { TERM: "xterm-256color", COLORTERM: "truecolor" }), "truecolor");
  assert.equal(colorDepth(true, { TERM: "xterm-256color", NO_COLOR: "1" }), "none");
  assert.equal(colorDepth(true, { TERM: "dumb" }), "none");
  assert.equal(colorDepth(true, { TERM: "xterm" }), "16");
  assert.equal(colorDepth(false, { FORCE_COLOR: "3" }), "truecolor");
});

describe("text of extensions on a terminal", () => {
  const cases: readonly [title: string, text: string, expected: string][] = [
    ["colours stay", "\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"],
    ["a colour ends with it", "\x1b[0m\x1b[1;31mred", "\x1b[0m\x1b[1;31mred\x1b[0m"],
    ["the end of all colours in its short form", "\x1b[31mred\x1b[m!", "\x1b[31mred\x1b[m!"],
    ["the screen is not cleared", "a\x1b[2Jb\x1b[1;1Hc", "abc"],
    ["the title is not set", "a\x1b]0;title\x07b", "ab"],
    ["the clipboard is not written", "a\x1b]52;c;AAAA\x1b\\b", "ab"],
    ["no line is overwritten", "good\rbad", "goodbad"],
    ["line ends stay", "a\r\nb\n\tc", "a\r\nb\n\tc"],
    ["other controls go", "a\x00\x07\x08\x7f\x9bb", "ab"],
    ["a lone escape goes", "a\x1bcb", "acb"],
    ["no other protocol gets in", "\x1bPq\x1b\\\x1b_Ga=T;\x1b\\x", "x"],
    ["what never ends takes nothing with it", "a\x1b]0;b\x1b[1mc\x1b[m\x1bPd\x1b]0;e\x07f", "a]0;b\x1b[1mc\x1b[mPdf"],
    ["no text is turned round", "a\u202eb\u202c\u2067c\u2069", "abc"],
    ["letters stay", "ü 漢字 😀", "ü 漢字 😀"],
  ];
  for (const [title, text, expected] of cases) test(title, () => assert.equal(printable(text), expected));

  test("each character is looked at a few times, however many sequences never end", () => {
    // To look for the end of each in all that follows would take hours.
    for (const start of ["\x1b]", "\x1bP", "\x1b[", "\x1b[1;", "\x1b"]) {
      assert.ok(!printable(start.repeat(1_000_000)).includes("\x1b"), JSON.stringify(start));
    }
  });

  test("columns are counted as a terminal does", () => {
    assert.equal(textWidth("abc"), 3);
    assert.equal(textWidth("漢字"), 4);
    assert.equal(textWidth("e\u0301"), 1);
    assert.equal(textWidth("\x1b[31mab\x1b[0m"), 2);
    assert.equal(truncate("漢字漢字", 5), "漢字…");
    assert.equal(truncate("abc", 3), "abc");
    assert.deepEqual(wrap("one two three", 8), ["one two", "three"]);
    assert.deepEqual(wrap("", 8), [""]);
  });
});
