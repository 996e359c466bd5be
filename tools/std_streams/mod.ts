/**
 * A stand-in for the parts of `@std/streams` that this project uses, of our own writing with the same names and
 * contracts, for machines that cannot reach JSR. `deno.json` takes the real package; `deno.offline.json` and `tsconfig.json` this.
 */
export {
  LimitedBytesTransformStream,
  type LimitedBytesTransformStreamOptions,
} from "./limited_bytes_transform_stream.ts";
export { toArrayBuffer } from "./to_array_buffer.ts";
export { toText } from "./to_text.ts";
