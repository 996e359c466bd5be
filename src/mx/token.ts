/** The secret that an extension process shows in its hello (M-14, M-15, X-14). */

const TOKEN_WORDS = 8;

/** Of the process it was issued for alone. Nothing that prints this object prints the secret. */
export class Token {
  readonly #secret = Array.from(crypto.getRandomValues(new Uint32Array(TOKEN_WORDS)), hex).join("");

  /** For the environment of the process, and for nothing else. */
  reveal(): string {
    return this.#secret;
  }

  /** Takes the same time for every `given` of one length. */
  equals(given: string): boolean {
    const secret = this.#secret;
    let difference = given.length ^ secret.length;
    for (let i = 0; i < secret.length; i++) {
      // Past its end charCodeAt is NaN, which counts as 0 here.
      difference |= given.charCodeAt(i) ^ secret.charCodeAt(i);
    }
    return difference === 0;
  }

  /** Whether `text` may hold the secret, or another one in its place: nothing of it may be shown then. */
  mayBeIn(text: string): boolean {
    return text.includes("token") || text.includes(this.#secret);
  }

  /** `text` with the secret blotted out. */
  redact(text: string): string {
    return withoutSecret(text, this.#secret);
  }
}

/** `text` with `secret` blotted out. */
export function withoutSecret(text: string, secret: string): string {
  // Every message of a session comes by here: to look takes half the time of replacing nothing.
  return secret !== "" && text.includes(secret) ? text.replaceAll(secret, "[token]") : text;
}

/** A message for people to see: whatever it calls a token, be it the right one, a guess or one that is cut, is blotted out. */
export function withoutTokens(json: string): string {
  // What is longer than a hello is no token, and a search of many MiB without a bound overflows the engine's stack.
  return json.replace(/("token"\s*:\s*)"(?:[^"\\]|\\.){0,65536}"?/g, '$1"[token]"');
}

/** A word as eight digits. */
export function hex(word: number): string {
  return word.toString(16).padStart(8, "0");
}
