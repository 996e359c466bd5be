/** What Deno permits this program, where Deno runs it. */

interface Deno {
  readonly permissions: { requestSync(descriptor: { name: "net"; host: string }): { readonly state: string } };
}

/**
 * Why no port of 127.0.0.1 may be opened, or undefined. Asked first, for what Deno's own server throws comes later, where nothing
 * can catch it. On a terminal Deno asks its person.
 */
export function loopbackRefusal(): string | undefined {
  const { Deno: deno } = globalThis as { readonly Deno?: Deno };
  if (deno === undefined || deno.permissions.requestSync({ name: "net", host: "127.0.0.1:0" }).state === "granted") {
    return undefined;
  }
  return "Deno does not permit it; run it again with --allow-net=127.0.0.1";
}

/** What is told of an error of Deno's for what it does not permit, whose message names the option; undefined for any other. */
export function notPermitted(error: unknown): string | undefined {
  return error instanceof Error && error.name === "NotCapable"
    ? `Deno does not permit it: ${error.message}`
    : undefined;
}
