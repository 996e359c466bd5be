/** As much of workerd's sockets as the adapter uses. */
declare module "cloudflare:sockets" {
  export interface Socket {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
    /** Settles when the connection stands. */
    readonly opened: Promise<unknown>;
    /** Settles when both directions have ended. */
    readonly closed: Promise<void>;
  }

  export function connect(address: { readonly hostname: string; readonly port: number }): Socket;
}
