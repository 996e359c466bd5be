/** The messages of MX v1 as types (M-05 to M-21). */

/** The one version of the protocol (M-12). */
export const MX_PROTOCOL_VERSION = 1;

/** What this host offers (M-16). */
export const HOST_CAPABILITIES: readonly string[] = ["runtime.v1"];

/** Every method of MX v1 by its name on the wire. */
export const MxMethod = {
  hello: "host.v1.hello",
  listVms: "host.v1.listVms",
  captureFramebuffer: "host.v1.captureFramebuffer",
  reportStatus: "extension.v1.reportStatus",
  shutdown: "extension.v1.shutdown",
} as const;

/** Names of the environment variables that the host sets for an MX extension (M-20). */
export const MxVariable = {
  host: "MX_EXTENSION_HOST",
  token: "MX_EXTENSION_TOKEN",
  id: "MX_EXTENSION_ID",
  protocol: "MX_EXTENSION_PROTOCOL",
} as const;

/** Params of `host.v1.hello`. */
export interface HelloParams {
  readonly token: string;
  readonly protocolVersion: number;
  readonly extensionId: string;
}

/** Result of `host.v1.hello` (M-16). */
export interface HelloResult {
  readonly protocolVersion: number;
  readonly hostCapabilities: readonly string[];
  readonly sessionId: string;
}

/** How an extension is doing. */
export type ExtensionState = "ready" | "degraded" | "failed";

/** Result of `extension.v1.reportStatus` (M-18). */
export interface ExtensionStatus {
  readonly state: ExtensionState;
  /** For a person to read. */
  readonly message: string;
  /** The extension's own version. */
  readonly version: string;
  readonly protocolVersion: number;
  readonly capabilities: readonly string[];
}

/** A virtual machine in the answer to `host.v1.listVms`. Further members are sent unchanged. */
export interface Vm {
  readonly id: string;
  readonly name: string;
  readonly [member: string]: unknown;
}

/** Params of `host.v1.captureFramebuffer`. */
export interface CaptureParams {
  readonly vmId: string;
}

/** Result of `host.v1.captureFramebuffer`; the attachment has the id of the request (M-04, X-18). */
export interface CaptureResult {
  readonly encoding: "mxfb0001";
  /** Of the attachment. */
  readonly byteLength: number;
  /** In pixels. Another host may leave it out. */
  readonly width?: number;
  readonly height?: number;
}
