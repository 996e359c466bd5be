/** What workerd and bundlers that follow it give for the import of a `.wasm` file. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
