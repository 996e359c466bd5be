/**
 * extwire: a host for extension processes and an SDK to write them, over Dhara and MX. This entry runs on every runtime;
 * what needs a particular one is in `extwire/node` and `extwire/workerd`, and manifest files are read by `extwire/manifest`.
 */

// Codec
export {
  type Codec,
  CodecError,
  type CodecErrorCode,
  type CodecNotice,
  type Decoder,
  type DecoderOptions,
  type DecoderSink,
  type PixelLayout,
} from "./codec/codec.ts";
export { encodeFrames, encodeLines, type OutgoingFrame } from "./codec/encode.ts";
export { type LoadedCodec, loadCodec } from "./codec/load.ts";
export { scalarCodec } from "./codec/scalar.ts";
export {
  type DecoderStreamOptions,
  type Frame,
  FrameDecoderStream,
  FrameEncoderStream,
  LineDecoderStream,
  LineEncoderStream,
} from "./codec/streams.ts";

// Dhara
export { failure, file, image, text } from "./src/dhara/content.ts";
export {
  defineExtension,
  defineTool,
  type Extension,
  type ExtensionDefinition,
  type InputOf,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "./src/dhara/define.ts";
export { DharaServer, type DharaServerOptions } from "./src/dhara/extension.ts";
export {
  DharaSession,
  type DharaSessionOptions,
  type ExecuteOptions,
  type InitializeOptions,
} from "./src/dhara/host.ts";
export type { InputSchema } from "./src/dhara/schema.ts";
export type { StandardSchema } from "./src/dhara/standard_schema.ts";
export { nearest } from "./src/dhara/suggest.ts";
export type {
  Content,
  FileContent,
  ImageDataContent,
  ImagePathContent,
  InitializeResult,
  JsonSchema,
  TextContent,
  ToolCallId,
  ToolInfo,
  ToolResult,
} from "./src/dhara/types.ts";
// Host
export type { Clock } from "./src/host/clock.ts";
export { CommandLineError, quoteCommand, tokenize } from "./src/host/command_line.ts";
export type { ExtensionSnapshot, HostEvent, HostListener, RunState } from "./src/host/events.ts";
export type { ExtensionHandle } from "./src/host/handle.ts";
export { Host, type HostExecuteOptions, type HostOptions } from "./src/host/host.ts";
export type { ExtensionManifest } from "./src/host/manifest.ts";
export type { Exit, ExtensionProcess, Listener, Platform, SpawnOptions } from "./src/host/platform.ts";
// MX
export {
  type CallOptions,
  type CapturedFramebuffer,
  MxClient,
  type MxClientOptions,
  type StatusReport,
} from "./src/mx/extension.ts";
export { type Framebuffer, framebufferParts, parseFramebuffer, toRgba } from "./src/mx/framebuffer.ts";
export { MxGate, type MxGateOptions, MxSession } from "./src/mx/host.ts";
export { encodePng, type PngOptions } from "./src/mx/png.ts";
export { type TestPatternOptions, testPattern } from "./src/mx/test_pattern.ts";
export { type ExtensionState, type ExtensionStatus, MxMethod, MxVariable, type Vm } from "./src/mx/types.ts";
export type { Picture, VmRuntime } from "./src/mx/vm_runtime.ts";
// JSON-RPC
export type { BinaryMessage, Channel, ChannelReceiver, Diagnostic } from "./src/rpc/channel.ts";
export {
  ErrorCode,
  ExtensionError,
  type ExtensionErrorCode,
  type ExtensionErrorDetails,
  RpcError,
} from "./src/rpc/errors.ts";
export { DEFAULT_LIMITS, type GivenLimits, type Limits } from "./src/rpc/limits.ts";
export { memoryPair } from "./src/rpc/memory.ts";
export type { RequestId } from "./src/rpc/message.ts";
export {
  Peer,
  type PeerHandlers,
  type PeerOptions,
  type RequestContext,
  type RequestHandler,
  type RequestOptions,
} from "./src/rpc/peer.ts";
export type { Pipe, PipeReceiver } from "./src/rpc/pipe.ts";
export { type Framing, pipeChannel } from "./src/rpc/pipe_channel.ts";
export { type StreamPair, streamPipe } from "./src/rpc/stream_pipe.ts";
export { type Trace, type TracedMessage, traceChannel } from "./src/rpc/trace.ts";
