/** Examples of bytes in hex: each must decode without a fault, into the JSON that the document shows behind it. */
import assert from "node:assert/strict";
import type { DecoderSink } from "../../codec/codec.ts";
import { scalarCodec } from "../../codec/scalar.ts";
import { FRAMEBUFFER_ROLE, readAttachment } from "../../src/mx/attachment.ts";
import { parseFramebuffer } from "../../src/mx/framebuffer.ts";
import type { Block } from "./blocks.ts";

/** `hex lines` is Dhara, `hex frames` is MX. What stands behind a # explains the bytes before it. */
export function checkBytes(block: Block, next: Block | undefined): void {
  const [framing] = block.words;
  assert.ok(framing === "lines" || framing === "frames", "a hex block says `hex lines` or `hex frames`");
  const texts: string[] = [];
  const faults: string[] = [];
  let attachments = 0;
  const sink: DecoderSink = {
    text: (text) => void texts.push(text),
    attachment(body, offset) {
      attachments++;
      const { role, bytes } = readAttachment(body, offset);
      if (role === FRAMEBUFFER_ROLE) parseFramebuffer(bytes);
    },
    notice: ({ message }) => void faults.push(message),
    fail: ({ message }) => void faults.push(message),
  };
  const decoder = scalarCodec[framing](sink);
  decoder.push(bytesOf(block.text));
  const atEnd = texts.length + attachments;
  decoder.end();
  assert.deepEqual(faults, []);
  assert.ok(atEnd > 0, "no message is whole");
  assert.equal(texts.length + attachments, atEnd, "the last message is not ended");
  if (next?.language !== "json") return;
  assert.deepEqual(
    texts.map((text): unknown => JSON.parse(text)),
    jsonTexts(next).map((text): unknown => JSON.parse(text)),
    "the bytes and the JSON behind them are not the same",
  );
}

/** `json lines` holds a message a line, `json` one value. */
export function jsonTexts(block: Block): string[] {
  return block.words.includes("lines") ? block.text.split("\n") : [block.text];
}

export function bytesOf(hex: string): Uint8Array {
  const digits = hex.replace(/#.*$/gm, "").replace(/\s+/g, "");
  assert.match(digits, /^([0-9a-f]{2})*$/, "hex is pairs of 0-9 and a-f");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
