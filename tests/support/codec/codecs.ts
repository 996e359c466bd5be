import type { Codec } from "../../../codec/codec.ts";
import { lineCodec } from "../../../codec/line_codec.ts";
import { compileInlined, loadCodec } from "../../../codec/load.ts";
import { scalarCodec } from "../../../codec/scalar.ts";
import { wasmCodec } from "../../../codec/wasm.ts";

export interface NamedCodec {
  readonly title: string;
  readonly codec: Codec;
}

/** Every codec that has to give the same answers. The plain one comes first. */
export const CODECS: readonly NamedCodec[] = [
  { title: "scalar", codec: scalarCodec },
  { title: "lines alone", codec: { ...scalarCodec, ...lineCodec } },
  { title: "wasm", codec: loadCodec().codec },
  // The same module made to go its own way where it would leave small streams to the plain one.
  {
    title: "wasm, by the table",
    codec: wasmCodec(compileInlined(), { smallChunkBytes: 0, fewMessages: 0, largeMessageBytes: Infinity }),
  },
  {
    title: "wasm, by the text",
    codec: wasmCodec(compileInlined(), { smallChunkBytes: 0, fewMessages: 0, largeMessageBytes: 0 }),
  },
];
