import type { RpcError } from "../rpc/errors.ts";

/** The words of an error that an extension answered, with the question: `answered initialize with the error -32000: no`. */
export function answeredWith(method: string, { code, message }: RpcError): string {
  return `answered ${method} with the error ${code}: ${message}`;
}
