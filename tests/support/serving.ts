/** A web server for as long as a test needs one. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers on loopback until `work`, which is told the address, is done. */
export async function serving<T>(answer: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
