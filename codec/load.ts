import type { Codec } from "./codec.ts";
import { scalarCodec } from "./scalar.ts";
import { wasmCodec } from "./wasm.ts";
import { WASM_BASE64 } from "./wasm_bytes.ts";

/** The codec that was chosen and, if it is not the faster one, why not. */
export interface LoadedCodec {
  readonly codec: Codec;
  /** Why this is the plain codec; left out for the fast one. */
  readonly fallbackReason?: string;
}

let loaded: LoadedCodec | undefined;

/**
 * Returns the fastest codec that runs here. The first call compiles the WebAssembly module; nothing is compiled at import time.
 * Where compiling is forbidden (workerd, a strict content security policy) or SIMD is missing, it returns the plain codec
 * and the reason.
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
      fallbackReason: `the WASM codec cannot be used here, so the plain one is used: ${String(error)}`,
    };
  }
}

/** @internal Compiles the inlined bytes, or throws what the runtime throws where it may not. */
export function compileInlined(): WebAssembly.Module {
  return new WebAssembly.Module(Uint8Array.from(atob(WASM_BASE64), (char) => char.charCodeAt(0)));
}
