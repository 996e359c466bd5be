/** The module itself: what is committed is what the source builds to, and it can do nothing but what it should. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { loadCodec, loadCodecFrom } from "../../codec/load.ts";
import { WASM_BASE64 } from "../../codec/wasm_bytes.ts";
import { outdatedFiles } from "../../tools/build_wasm.ts";

const file = new URL("../../codec/codec.wasm", import.meta.url);

test("[F3] the committed module and its inlined bytes are what codec/assembly builds to", async () => {
  assert.deepEqual(await outdatedFiles(), [], "run npm run build:wasm and commit what it writes");
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
  assert.match(fallbackReason ?? "", /plain one takes its place: CompileError: Wasm code generation disallowed/);
});
