import type { Codec } from "./codec.ts";
// workerd compiles no bytes at run time, but takes a module that the bundle brings.
import module from "./codec.wasm";
import { wasmCodec } from "./wasm.ts";

let codec: Codec | undefined;

/** The WASM codec where `.wasm` files are imported as modules: workerd, and bundlers that follow it. */
export function loadCodec(): { readonly codec: Codec } {
  codec ??= wasmCodec(module);
  return { codec };
}
