/** A web server for as long as a test needs one. */
import type { RequestListener } from "node:http";
import { serveWeb } from "../../tools/test/web_server.ts";

/** Answers on loopback until `work`, which is told the address, is done. */
export async function serving<T>(answer: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  await using server = await serveWeb(answer);
  return await work(`${server.url}/`);
}
