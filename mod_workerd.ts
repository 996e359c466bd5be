/** The library as workerd imports it: `mod.ts`, with the codec's WebAssembly as a module that workerd compiled. */

export { loadCodec } from "./codec/load_workerd.ts";
export * from "./mod.ts";
