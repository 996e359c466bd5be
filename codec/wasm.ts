import type { Codec } from "./codec.ts";
import { WasmFrameDecoder } from "./wasm_frames.ts";
import { WasmLineDecoder } from "./wasm_lines.ts";
import { DEFAULT_TUNING, type Tuning, WasmModule } from "./wasm_module.ts";
import { copyPixelsWith } from "./wasm_pixels.ts";

/**
 * The codec over `codec.wasm`, which the caller has compiled: here nothing is loaded, so it works where code may only come
 * from an import. All decoders share one instance of the module and its 64 KiB.
 * `tuning` decides speed only; the default was measured.
 */
export function wasmCodec(module: WebAssembly.Module, tuning: Tuning = DEFAULT_TUNING): Codec {
  const instance = new WasmModule(module);
  return {
    name: "wasm",
    lines: (sink, options) => new WasmLineDecoder(instance, tuning, sink, options),
    frames: (sink, options) => new WasmFrameDecoder(instance, tuning, sink, options),
    pixels: (source, layout, target) => copyPixelsWith(instance, source, layout, target),
  };
}
