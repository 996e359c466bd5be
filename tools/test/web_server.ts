/** Web servers on loopback, and one that serves texts from memory: for pages and modules under test. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface Served {
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WebServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
}

export function serveStatic(files: Readonly<Record<string, Served>>): Promise<WebServer> {
  return serveWeb((request, response) => {
    const file = files[new URL(request.url ?? "/", "http://localhost").pathname];
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": file.type, ...file.headers }).end(file.body);
  });
}

export async function serveWeb(answer: RequestListener): Promise<WebServer> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
