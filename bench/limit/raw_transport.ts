import {
  type BunNet,
  bunTransport,
  type DenoNet,
  denoTransport,
  nodeTransport,
  type RawTransport,
} from "./raw_sockets.ts";

const { Deno, Bun } = globalThis as { Deno?: DenoNet; Bun?: BunNet };

/** The transports of this runtime by name. */
export function transportOf(kind: string | undefined): RawTransport {
  if (kind === "deno" && Deno) return denoTransport(Deno);
  if (kind === "bun" && Bun) return bunTransport(Bun);
  if (kind === "data") return nodeTransport(0);
  if (kind?.startsWith("onread ")) return nodeTransport(Number(kind.slice("onread ".length)) * 1024);
  throw new Error(`no transport ${kind} here`);
}
