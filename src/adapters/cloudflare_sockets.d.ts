/** As much of workerd's sockets as the adapter uses. */
declare module "cloudflare:sockets" {
  export interface Socket {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
    /** Settles when the connection stands. */
    readonly opened: Promise<unknown>;
    /** Settles when both directions have ended. */
    readonly closed: Promise<void>;
    close(): Promise<void>;
  }

  export interface SocketOptions {
    readonly secureTransport?: "off" | "on" | "starttls";
    readonly allowHalfOpen?: boolean;
  }

  export function connect(
    address: { readonly hostname: string; readonly port: number },
    options?: SocketOptions,
  ): Socket;
}
