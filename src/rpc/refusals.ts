/** What arrives and is no message of the protocol: it costs itself only, and its sender or its caller is told. */

import type { Batch } from "./batch.ts";
import type { Diagnostic } from "./channel.ts";
import { ErrorCode, ExtensionError } from "./errors.ts";
import { cutToBytes, excerpt } from "./excerpt.ts";
import type { IncomingRequests } from "./incoming.ts";
import type { Limits } from "./limits.ts";
import { isErrorObject, isRequestId } from "./message.ts";
import type { OutgoingRequests } from "./outgoing.ts";
import { peek } from "./peek.ts";
import type { PeerOptions } from "./peer_options.ts";

export class Refusals {
  readonly #limits: Limits;
  readonly #incoming: IncomingRequests;
  readonly #outgoing: OutgoingRequests | undefined;
  /** What is told of it, and to whom. */
  readonly #options: PeerOptions;
  readonly #tell: (diagnostic: Diagnostic) => void;

  constructor(
    limits: Limits,
    incoming: IncomingRequests,
    outgoing: OutgoingRequests | undefined,
    options: PeerOptions,
    tell: (diagnostic: Diagnostic) => void,
  ) {
    this.#limits = limits;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#options = options;
    this.#tell = tell;
  }

  /** A message that is no request, notification or response. */
  invalid(why: string, text: string, batch: Batch | undefined, id?: unknown): void {
    if (this.#answers) {
      batch?.expect();
      this.#incoming.refuse(isRequestId(id) ? id : null, { code: ErrorCode.invalidRequest, message: why }, batch);
    }
    this.#report("not-a-message", why, this.#shown(text));
  }

  /** A response to nothing that is in flight. */
  answer(id: unknown, isError: boolean, text: string): void {
    const again = this.#outgoing?.wasAnswered(id) ? `another answer to request ${id}` : undefined;
    const told = isError && id === null ? "the other side reports an error" : again;
    this.#report("unexpected-answer", told ?? "an answer to a request that was never made", this.#shown(text));
  }

  /** A response that does not say it is one: the call it was meant for fails now, not by timeout. */
  unversioned(message: Record<string, unknown>, text: string): void {
    const why = 'a message without jsonrpc: "2.0"';
    const shown = this.#shown(text);
    const { id, jsonrpc, result, error } = message;
    // Among what is not of the protocol there are log lines in JSON, and they have ids too.
    const meant = this.#answers || jsonrpc !== undefined || result !== undefined || isErrorObject(error);
    if (meant && isRequestId(id) && this.#fail(id, why, shown)) return;
    this.#report("unexpected-answer", why, shown);
  }

  /** A message that nests deeper than the limit, and is not parsed. */
  deep(fault: string, text: string, offset: number): void {
    const why = `${fault} in the message at offset ${offset}`;
    const { id, isRequest } = peek(text);
    if (id !== undefined && !isRequest) {
      // An answer, perhaps a late one: who sent it waits for nothing.
      if (this.#outgoing?.fail(id, new ExtensionError("limit", why))) return;
    } else if (id !== undefined || this.#answers) {
      this.#incoming.refuse(id ?? null, { code: ErrorCode.invalidRequest, message: why }, undefined);
    }
    this.#report("limit", why, this.#shown(text));
  }

  /** A text that is no JSON. */
  unparsable(text: string, offset: number, cause: unknown): void {
    const shown = this.#shown(text);
    // What JSON.parse says quotes the text around the fault.
    const quoted = shown === undefined ? undefined : (cause as SyntaxError);
    const detail = quoted ? `: ${quoted.message}` : ifCut(text);
    const why = `invalid JSON in the message at offset ${offset}${detail}`;
    // A whole line that was meant as an answer fails its call now, not by timeout (C12); a cut one may yet come again.
    if (text.trimEnd().endsWith("}") && text.includes('"jsonrpc"')) {
      const { id, isRequest } = peek(text);
      if (id !== undefined && !isRequest && this.#fail(id, why, shown, quoted)) return;
    }
    if (this.#answers) this.#incoming.refuse(null, { code: ErrorCode.parseError, message: why }, undefined);
    this.#report("invalid-json", why, shown);
  }

  #fail(id: string | number, why: string, shown: string | undefined, cause?: unknown): boolean {
    const error = new ExtensionError("protocol", `${why}: ${quote(shown)}`, { cause });
    return this.#outgoing?.fail(id, error) === true;
  }

  #report(code: string, why: string, shown: string | undefined): void {
    const message = `${why}: ${quote(shown)}`;
    if (shown === undefined) this.#tell({ code, message });
    else this.#tell({ code, message, line: cutToBytes(shown, this.#limits.maxDiagnosticLineBytes) });
  }

  get #answers(): boolean {
    return this.#options.answersInvalid ?? true;
  }

  /** Undefined for a text that may hold a secret. */
  #shown(text: string): string | undefined {
    return this.#options.secret?.(text) ? undefined : text;
  }
}

/** The beginning of a text, for people. */
function quote(shown: string | undefined): string {
  return shown === undefined ? "(not shown: it may hold a secret)" : excerpt(shown);
}

/** All that can be told of a text that may not be shown: a length in front of it that is too small. */
function ifCut(text: string): string {
  return text.split("{").length > text.split("}").length ? ", which ends too early: a } is missing" : "";
}
