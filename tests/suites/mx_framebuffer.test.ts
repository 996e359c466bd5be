/** The layouts of attachments and framebuffers, PNG and the test pattern: what needs no socket (M-03, X-10, X-11). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scalarCodec } from "../../codec/scalar.ts";
import { attachmentMessage, readAttachment } from "../../src/mx/attachment.ts";
import { MxClient } from "../../src/mx/extension.ts";
import { framebufferParts, parseFramebuffer, toRgba } from "../../src/mx/framebuffer.ts";
import { MxGate } from "../../src/mx/host.ts";
import { encodePng } from "../../src/mx/png.ts";
import { testPattern } from "../../src/mx/test_pattern.ts";
import { memoryPair } from "../../src/rpc/memory.ts";

function hex(...parts: readonly Uint8Array[]): string {
  return parts.flatMap((part) => Array.from(part, (byte) => byte.toString(16).padStart(2, "0"))).join("");
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.replaceAll(" ", "").match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const ROLE = "0000000b 6672616d65627566666572";

describe("[M-03] [X-10] the body of an attachment", () => {
  const cases: [id: number | string | bigint, layout: string][] = [
    [1, `00 0000000000000001 ${ROLE}`],
    [0, `00 0000000000000000 ${ROLE}`],
    [-2, `00 fffffffffffffffe ${ROLE}`],
    [9_007_199_254_740_991, `00 001fffffffffffff ${ROLE}`],
    ["", `01 00000000 ${ROLE}`],
    ["1", `01 00000001 31 ${ROLE}`],
    ["ü😀", `01 00000006 c3bcf09f9880 ${ROLE}`],
    // A byte order mark is a character like any other here.
    ["\ufeffa", `01 00000004 efbbbf61 ${ROLE}`],
  ];
  for (const [id, layout] of cases) {
    test(`is a tag, the id ${JSON.stringify(id)}, the role and the bytes, both ways`, () => {
      const content = bytes("c0ffee");
      assert.equal(
        hex(...attachmentMessage(id as number, "framebuffer", [content])),
        `${layout.replaceAll(" ", "")}c0ffee`,
      );
      const read = readAttachment(bytes(`${layout} c0ffee`), 0);
      assert.deepEqual([read.id, read.role, hex(read.bytes)], [id, "framebuffer", "c0ffee"]);
    });
  }

  test("keeps an integer that no id of ours can be apart from all of them", () => {
    assert.equal(readAttachment(bytes(`00 7fffffffffffffff ${ROLE}`), 0).id, 0x7fff_ffff_ffff_ffffn);
    assert.equal(readAttachment(bytes(`00 0020000000000001 ${ROLE}`), 0).id, 9_007_199_254_740_993n);
  });

  test("is not copied, neither written nor read", () => {
    const content = new Uint8Array(8);
    assert.equal(attachmentMessage(1, "framebuffer", [content])[1], content);
    const body = bytes(`00 0000000000000001 ${ROLE} 0102`);
    assert.equal(readAttachment(body, 0).bytes.buffer, body.buffer);
  });

  test("may have any role, and no bytes", () => {
    const read = readAttachment(bytes("00 0000000000000001 00000000"), 0);
    assert.deepEqual([read.role, read.bytes.length], ["", 0]);
  });
});

const HEAD = "6d786662 30303031 00000002 00000001 0000000c 00000001";
const PIXELS = bytes("01020304 05060708 00000000");

test("[X-11] mxfb0001 is the word, four numbers, and the rows with their stride, both ways", () => {
  const picture = { width: 2, height: 1, stride: 12, format: "bgra", pixels: PIXELS } as const;
  const parts = framebufferParts(picture);
  assert.equal(hex(...parts), HEAD.replaceAll(" ", "") + hex(PIXELS));
  assert.equal(parts[1].buffer, PIXELS.buffer);
  const read = parseFramebuffer(bytes(HEAD + hex(PIXELS)));
  assert.deepEqual({ ...read, pixels: hex(read.pixels) }, { ...picture, pixels: hex(PIXELS) });
  assert.equal(hex(toRgba(read, scalarCodec)), "0302010407060508");
  for (const [code, format, first] of [
    [0, "rgba", "01020304"],
    [1, "bgra", "03020104"],
    [2, "rgbx", "010203ff"],
    [3, "bgrx", "030201ff"],
  ] as const) {
    const [head] = framebufferParts({ ...picture, format });
    assert.equal(head[23], code);
    assert.equal(hex(toRgba(parseFramebuffer(bytes(hex(head, PIXELS))), scalarCodec)).slice(0, 8), first);
  }
});

test("[X-11] pixels that are tight RGBA already are handed on as they lie", () => {
  const pixels = new Uint8Array(8);
  assert.equal(toRgba({ width: 2, height: 1, stride: 8, format: "rgba", pixels }, scalarCodec), pixels);
});

describe("[X-11] [M-04] bytes that are no framebuffer are a protocol error that says why", () => {
  const word = HEAD.replaceAll(" ", "");
  const put = (at: number, value: string) => word.slice(0, at * 2) + value + word.slice(at * 2 + value.length);
  const cases: [what: string, data: string, why: RegExp][] = [
    ["nothing", "", /0 bytes are fewer than the 24/],
    [
      "a cut head",
      word.slice(0, 46),
      /^the framebuffer is not mxfb0001: 23 bytes are fewer than the 24 of its header$/,
    ],
    ["a head alone", word, /1 rows of 12 bytes are 12 bytes, but 0 came/],
    ["another word", put(0, "6d78666230303032") + hex(PIXELS), /it begins with "mxfb0002"$/],
    ["an unknown format", put(20, "00000004") + hex(PIXELS), /pixel format is 4, but only 0 to 3 are known$/],
    ["a stride shorter than a row", put(16, "00000007") + hex(PIXELS), /stride of 7 bytes is less than the 8/],
    ["no width", put(8, "00000000") + hex(PIXELS), /width must be .*, not 0/],
    ["a row too few", put(12, "00000002") + hex(PIXELS), /2 rows of 12 bytes are 24 bytes, but 12 came/],
    ["a byte too many", `${word + hex(PIXELS)}00`, /but 13 came/],
    [
      "sizes that overflow 32 bits",
      put(12, "ffffffff") + hex(PIXELS),
      /4294967295 rows of 12 bytes are 51539607540 bytes/,
    ],
  ];
  for (const [what, data, why] of cases) {
    test(what, () => {
      assert.throws(
        () => parseFramebuffer(bytes(data)),
        (error: { code?: string; message?: string }) => error.code === "protocol" && why.test(error.message ?? ""),
      );
    });
  }
});

test("[X-11] a picture that does not hold together is not sent", () => {
  const good = { width: 2, height: 1, stride: 8, format: "rgba", pixels: new Uint8Array(8) } as const;
  assert.throws(
    () => framebufferParts({ ...good, pixels: new Uint8Array(7) }),
    /^RangeError: this picture can't be sent: 1 rows of 8 bytes are 8 bytes, but it has 7$/,
  );
  assert.throws(() => framebufferParts({ ...good, stride: 7 }), /stride/);
  assert.throws(() => framebufferParts({ ...good, width: 0.5 }), /can't be sent: .*width must be .*, not 0\.5/);
  assert.throws(
    () => framebufferParts({ ...good, format: "rgb" as "rgba" }),
    /can't be sent: its format is rgb, not one of rgba, bgra, rgbx, bgrx$/,
  );
  // More than is shown is left behind.
  assert.equal(framebufferParts({ ...good, pixels: new Uint8Array(100) })[1].length, 8);
});

/** Reads a PNG the way the standard says, with the runtime's own decompressor. */
async function readPng(png: Uint8Array): Promise<{ width: number; height: number; rgba: Uint8Array }> {
  assert.equal(hex(png.subarray(0, 8)), "89504e470d0a1a0a");
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const chunks = new Map<string, Uint8Array<ArrayBuffer>>();
  for (let at = 8; at < png.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8));
    assert.equal(view.getUint32(at + 8 + length), crc(png.subarray(at + 4, at + 8 + length)), type);
    chunks.set(type, png.slice(at + 8, at + 8 + length));
    at += 12 + length;
  }
  assert.deepEqual([...chunks.keys()], ["IHDR", "IDAT", "IEND"]);
  const head = new DataView(chunks.get("IHDR")!.buffer);
  assert.equal(hex(chunks.get("IHDR")!.subarray(8)), "0806000000");
  const [width, height] = [head.getUint32(0), head.getUint32(4)];
  const stream = new Blob([chunks.get("IDAT")!]).stream().pipeThrough(new DecompressionStream("deflate"));
  const rows = new Uint8Array(await new Response(stream).arrayBuffer());
  const row = width * 4;
  assert.equal(rows.length, (row + 1) * height);
  const rgba = new Uint8Array(row * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (row + 1)];
    assert.ok(filter === 0 || filter === 2, `filter ${filter}`);
    for (let x = 0; x < row; x++) {
      const above = filter === 2 && y > 0 ? rgba[(y - 1) * row + x]! : 0;
      rgba[y * row + x] = rows[y * (row + 1) + 1 + x]! + above;
    }
  }
  return { width, height, rgba };
}

/** Bit by bit, as the standard gives it. */
function crc(data: Uint8Array): number {
  let value = 0xffff_ffff;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return ~value >>> 0;
}

test("a PNG has the pixels it was made of", async () => {
  for (const [width, height] of [
    [1, 1],
    [1, 7],
    [7, 1],
    [33, 17],
  ] as const) {
    const rgba = Uint8Array.from({ length: width * height * 4 }, (_, i) => (i * i * 31 + i * 7) & 255);
    assert.deepEqual(await readPng(await encodePng(width, height, rgba)), { width, height, rgba });
  }
  const pixel = await encodePng(1, 1, bytes("ff000080"), { deflate: () => bytes("0102") });
  assert.equal(pixel.length, 8 + 25 + 14 + 12);
});

test("a PNG of a size that can't be, or of too few bytes, is refused", async () => {
  for (const [width, height] of [
    [0, 1],
    [1, -1],
    [1.5, 1],
    [2 ** 31, 1],
  ] as const) {
    const wrong = width === 1 ? `height is ${height}` : `width is ${width}`;
    const message = `a PNG can't be made: its ${wrong}`;
    await assert.rejects(encodePng(width, height, new Uint8Array(64)), { name: "RangeError", message });
  }
  await assert.rejects(encodePng(4, 4, new Uint8Array(63)), {
    name: "RangeError",
    message: "a PNG can't be made: 4 x 4 pixels are 64 bytes, but there are 63",
  });
});

test("[M-21] [X-18] the test pattern lists its VMs and moves, in every format and size", async () => {
  for (const format of ["rgba", "bgra", "rgbx", "bgrx"] as const) {
    const vms = testPattern({ width: 64, height: 40, format, vms: [{ id: "a", name: "A" }] });
    assert.deepEqual(vms.list(), [{ id: "a", name: "A" }]);
    assert.equal(vms.capture("b"), undefined);
    const shots: string[] = [];
    for (let i = 0; i < 3; i++) {
      const picture = await vms.capture("a");
      const rgba = toRgba({ ...picture!, pixels: picture!.pixels }, scalarCodec);
      // Seen from above every picture is opaque, and has more than a few colours.
      for (let at = 3; at < rgba.length; at += 4) assert.equal(rgba[at], 255);
      assert.ok(new Set(new Uint32Array(rgba.slice().buffer)).size > 8);
      shots.push(hex(rgba));
      picture!.release!();
      picture!.release!();
    }
    assert.equal(new Set(shots).size, 3);
  }
  for (const size of [
    { width: 1, height: 1 },
    { width: 1, height: 50 },
    { width: 3, height: 2, stride: 100 },
  ]) {
    const picture = await testPattern(size).capture("demo");
    assert.equal(framebufferParts(picture!)[1].length, picture!.stride * picture!.height);
  }
  for (const size of [{ width: 0 }, { height: 1.5 }, { width: 10, stride: 39 }])
    assert.throws(() => testPattern(size), RangeError);
});

test("[X-18] the test pattern has eight bars that drift, a grey ramp below them, and a square that bounces", async () => {
  const BARS = ["ffffff", "ffff00", "00ffff", "00ff00", "ff00ff", "ff0000", "0000ff", "000000"];
  const [width, height, side] = [80, 40, 5];
  const vms = testPattern({ width, height });
  const toAndFro = (way: number, most: number) => most - Math.abs(most - (way % (2 * most)));
  for (let frame = 0; frame < 20; frame++) {
    const picture = (await vms.capture("demo"))!;
    assert.deepEqual([picture.format, picture.stride], ["bgrx", 320]);
    const rgba = toRgba(picture, scalarCodec);
    const [left, top] = [toAndFro(7 * frame, width - side), toAndFro(5 * frame, height - side)];
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const along = (x + 4 * frame) % width;
        const grey = hex(Uint8Array.of(Math.floor((along * 255) / width))).repeat(3);
        const behind = y < 32 ? BARS[Math.floor(along / 10)] : grey;
        const inSquare = x >= left && x < left + side && y >= top && y < top + side;
        const at = (y * width + x) * 4;
        assert.equal(hex(rgba.subarray(at, at + 3)), inSquare ? "ff8000" : behind, `${x}, ${y} of ${frame}`);
      }
    }
  }
  const usual = testPattern();
  assert.deepEqual(usual.list(), [{ id: "demo", name: "Test pattern", state: "running" }]);
  const shots = [await usual.capture("demo"), await usual.capture("demo"), await usual.capture("demo")];
  const { width: columns, height: rows, stride } = shots[0]!;
  assert.deepEqual([columns, rows, stride], [640, 400, 2560]);
  assert.equal(new Set(shots.map((shot) => shot!.pixels.buffer)).size, 3);
  // Two buffers are kept for the next pictures, each once.
  for (const shot of [shots[0]!, ...shots]) shot!.release!();
  const kept = new Set(shots.slice(0, 2).map((shot) => shot!.pixels));
  for (let i = 0; i < 2; i++) assert.ok(kept.delete((await usual.capture("demo"))!.pixels));
  const { pixels } = (await usual.capture("demo"))!;
  assert.ok(shots.every((shot) => shot!.pixels !== pixels));
});

test("[M-10] [M-17] [M-19] [M-21] [X-18] both roles talk over the in-memory pair", async () => {
  const gate = new MxGate({
    id: "a",
    codec: scalarCodec,
    vms: testPattern({ width: 5, height: 3 }),
    onSession: () => {},
  });
  const token = gate.environment("127.0.0.1:1").MX_EXTENSION_TOKEN;
  const [theirs, ours] = memoryPair();
  gate.attach(theirs);
  const client = await MxClient.connect(ours, { id: "a", token, codec: scalarCodec });
  assert.equal((await client.listVms())[0]!.id, "demo");
  const { width, height, rgba, release } = await client.captureFramebuffer("demo");
  assert.deepEqual([width, height, rgba.length], [5, 3, 60]);
  release();
  assert.equal((await gate.session!.reportStatus()).state, "ready");
  await gate.session!.shutdown(0);
  assert.equal((await client.closed).code, "closed");
  await gate.close();
});
