/** The page that the demo's `fetch_url` reads: served on loopback, so that the demo needs no network. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { loopbackRefusal } from "../adapters/deno_permission.ts";
import { UsageError } from "./errors.ts";

export interface DemoPage {
  readonly url: string;
  close(): Promise<void>;
}

/** The second half comes this much later, as over a slow line: progress can be seen to move. */
const HALF_MS = 350;

export async function serveDemoPage(): Promise<DemoPage> {
  const refusal = loopbackRefusal();
  if (refusal !== undefined) throw new UsageError(`the demo serves a page on 127.0.0.1: ${refusal}`);
  const page = new TextEncoder().encode(HTML);
  const half = page.length >> 1;
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-length": page.length,
      connection: "close",
    });
    response.write(page.subarray(0, half));
    const timer = setTimeout(() => response.end(page.subarray(half)), HALF_MS);
    response.once("close", () => clearTimeout(timer));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const HTML = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The postcard and the parcel</title><style>body { font: 1rem serif }</style></head>
<body>
<nav><a href="/">Home</a> <a href="/about">About</a></nav>
<article>
<h1>The postcard and the parcel</h1>
<p>Two programs that want to talk need to agree on one thing before all others: where a message ends. A postcard solves
it with its edge. You write until the card is full, and whoever finds it in the letter box knows that this is all of it.
A line of text works the same way, and the newline is the edge of the card.</p>
<p>A parcel does not show what is in it, so its label says how much it weighs. The clerk reads the label first, waits
until that much has come in, and only then opens it. A frame with its length in front is such a parcel: it may hold a
letter, or a picture with a million dots, and nothing in it can be mistaken for its end.</p>
<p>Both kinds of post reach the same house. The Dhara protocol sends postcards over the two pipes that every process is
born with. MX sends parcels over a socket, because a picture of a screen does not fit on a postcard.</p>
</article>
<footer>Served by the demo itself, on loopback.</footer>
</body>
</html>
`;
