/** The library as workerd imports it: `mod.ts`, with the codec's WebAssembly as a module that workerd compiled. */
export * from "./mod.ts";
