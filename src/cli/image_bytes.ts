/** What an inline image of an answer holds (D-15). */
import { Buffer } from "node:buffer";
import { ExtensionError } from "../rpc/errors.ts";

/** Throws an ExtensionError `protocol` for what is no base64: decoded all the same it would look like a picture that is empty. */
export function imageBytes(data: string, tool: string): Buffer {
  const at = data.search(/[^A-Za-z0-9+/=_\s-]/);
  if (at < 0) return Buffer.from(data, "base64");
  const why = `${tool} returned an image whose data is not base64: unexpected ${JSON.stringify(data[at])} at character ${at}`;
  throw new ExtensionError("protocol", why);
}
