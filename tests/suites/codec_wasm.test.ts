/** The module itself: it can do nothing but what it should. That its source builds to it is a step of `npm test`. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { loadCodec, loadCodecFrom } from "../../codec/load.ts";
import { WASM_BASE64 } from "../../codec/wasm_bytes.ts";

const file = new URL("../../codec/codec.wasm", import.meta.url);

test("[F3] the inlined bytes are those of the committed module", async () => {
  assert.equal((await readFile(file)).toString("base64"), WASM_BASE64);
});

test("[X-06] the module is small, imports nothing, and its memory is one page that cannot grow", async () => {
  const bytes = await readFile(file);
  assert.ok(bytes.length < 8 * 1024, `${bytes.length} bytes`);
  const module = new WebAssembly.Module(bytes);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  const memory = new WebAssembly.Instance(module).exports["memory"] as WebAssembly.Memory;
  assert.equal(memory.buffer.byteLength, 65_536);
  assert.throws(() => memory.grow(1), RangeError);
});

test("[F3] [F4] the module is compiled once, on first use, from bytes that need no file", () => {
  const { codec, fallbackReason } = loadCodec();
  assert.equal(codec.name, "wasm");
  assert.equal(fallbackReason, undefined);
  assert.equal(loadCodec().codec, codec);
});

test("[F3] [F4] where the module may not be compiled the plain codec comes with the reason", () => {
  const { codec, fallbackReason } = loadCodecFrom(() => {
    throw new WebAssembly.CompileError("Wasm code generation disallowed by embedder");
  });
  assert.equal(codec.name, "scalar");
  assert.match(fallbackReason ?? "", /so the plain one is used: CompileError: Wasm code generation disallowed/);
});
