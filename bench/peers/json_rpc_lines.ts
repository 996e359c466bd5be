/** json-rpc-2.0 leaves the transport to its user: one JSON text a line, as most of its users do. */
import type { Readable } from "node:stream";

export function readLines(stream: Readable, line: (text: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() as string;
    for (const text of lines) line(text);
  });
}
