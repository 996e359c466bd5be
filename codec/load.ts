import type { Codec } from "./codec.ts";
import { scalarCodec } from "./scalar.ts";
import { wasmCodec } from "./wasm.ts";
import { WASM_BASE64 } from "./wasm_bytes.ts";

/** The codec that was chosen, and why it is not the faster one where it is not. */
export interface LoadedCodec {
  readonly codec: Codec;
  /** Why the plain codec has to do, where it does. */
  readonly fallbackReason?: string;
}

let loaded: LoadedCodec | undefined;

/**
 * The fastest codec that runs here. The module is compiled by the first call, never at import time; where compiling is
 * forbidden (workerd, a strict content security policy) or SIMD is missing, the plain codec comes with the reason.
 *
 * @example
 * ```ts
 * import { loadCodec } from "extwire";
 * const { codec, fallbackReason } = loadCodec();
 * if (fallbackReason) console.warn(fallbackReason);
 * ```
 */
export function loadCodec(): LoadedCodec {
  loaded ??= loadCodecFrom(compileInlined);
  return loaded;
}

/** @internal The same with another way to get the module; nothing is remembered. */
export function loadCodecFrom(compile: () => WebAssembly.Module): LoadedCodec {
  try {
    return { codec: wasmCodec(compile()) };
  } catch (error) {
    return {
      codec: scalarCodec,
      fallbackReason: `the WASM codec cannot be used here, the plain one takes its place: ${String(error)}`,
    };
  }
}

/** @internal Compiles the inlined bytes, or throws what the runtime throws where it may not. */
export function compileInlined(): WebAssembly.Module {
  return new WebAssembly.Module(Uint8Array.from(atob(WASM_BASE64), (char) => char.charCodeAt(0)));
}
