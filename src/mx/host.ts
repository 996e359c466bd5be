/** The host's side of MX v1. */
import type { Channel } from "../rpc/channel.ts";
import { ExtensionError } from "../rpc/errors.ts";
import type { Pipe } from "../rpc/pipe.ts";
import { pipeChannel } from "../rpc/pipe_channel.ts";
import { Admission } from "./admission.ts";
import type { MxGateOptions } from "./gate_options.ts";
import type { MxSession } from "./session.ts";
import { MX_PROTOCOL_VERSION, MxVariable } from "./types.ts";

export type { MxGateOptions } from "./gate_options.ts";
export { MxSession } from "./session.ts";

/**
 * The host's door for one extension process: accepts only connections that know the token, and only one live session at a time
 * (M-10 to M-16, X-12, X-14). The token becomes invalid with `close`; make a new gate for the next process.
 *
 * @example
 * ```ts
 * import { MxGate, testPattern } from "extwire";
 * import { node } from "extwire/node";
 * const platform = node();
 * const gate = new MxGate({
 *   id: "com.example.one",
 *   codec: platform.codec(),
 *   vms: testPattern(),
 *   onSession: async (session) => console.log(await session.reportStatus()),
 * });
 * const listener = await platform.listen((pipe) => gate.accept(pipe));
 * // What the process is started with.
 * console.log(Object.keys(gate.environment(listener.address)).length); // 4
 * await listener.close();
 * await gate.close();
 * ```
 */
export class MxGate {
  readonly #options: MxGateOptions;
  readonly #admission: Admission;
  #closing: Promise<void> | undefined;

  constructor(options: MxGateOptions) {
    this.#options = options;
    this.#admission = new Admission(options);
  }

  /** The environment variables for the process; they hold the token (M-14, M-20). `address` is `127.0.0.1:port`. */
  environment(address: string): Record<(typeof MxVariable)[keyof typeof MxVariable], string> {
    return {
      [MxVariable.host]: address,
      [MxVariable.token]: this.#admission.token.reveal(),
      [MxVariable.id]: this.#options.id,
      [MxVariable.protocol]: String(MX_PROTOCOL_VERSION),
    };
  }

  /** Takes a new connection. Pass this to `platform.listen`. */
  accept(pipe: Pipe): void {
    this.attach(pipeChannel(pipe, this.#options.codec, "frames", this.#admission.limits));
  }

  /** Takes a new connection that is already a channel. */
  attach(channel: Channel): void {
    this.#admission.arrive(channel);
  }

  /** The live session, if there is one. */
  get session(): MxSession | undefined {
    return this.#admission.session;
  }

  /** Makes the token invalid and ends every connection. Settles within a second; idempotent. */
  close(reason: ExtensionError = new ExtensionError("closed", "the host closed the connection")): Promise<void> {
    this.#closing ??= this.#admission.end(reason);
    return this.#closing;
  }
}
