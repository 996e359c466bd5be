/** What a host tells an extension through its environment (M-14, M-20). */
import { ExtensionError } from "../rpc/errors.ts";
import { MxVariable } from "./types.ts";

export interface MxEnvironment {
  /** `127.0.0.1:port`. */
  readonly address: string;
  readonly id: string;
  readonly token: string;
  readonly protocol: number;
}

/** Reads the four `MX_*` variables. Throws an ExtensionError `start-failed` that names the one that is missing. */
export function readMxEnvironment(environment: object): MxEnvironment {
  const values = environment as Readonly<Record<string, unknown>>;
  const read = (name: string): string => {
    const value = values[name];
    if (typeof value === "string" && value !== "") return value;
    throw new ExtensionError(
      "start-failed",
      `${name} is not in the environment: an MX extension gets its MX_* variables from the host that starts it with protocol mx`,
    );
  };
  return {
    address: read(MxVariable.host),
    id: read(MxVariable.id),
    token: read(MxVariable.token),
    protocol: Number(read(MxVariable.protocol)),
  };
}

/** `127.0.0.1:port` in its two parts. Throws an ExtensionError `start-failed`. */
export function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(":");
  const port = Number(address.slice(at + 1));
  if (at > 0 && Number.isInteger(port) && port > 0 && port <= 65_535) {
    return { host: address.slice(0, at).replace(/^\[(.*)\]$/, "$1"), port };
  }
  throw new ExtensionError("start-failed", `${MxVariable.host} is ${JSON.stringify(address)}: it must be HOST:PORT`);
}
