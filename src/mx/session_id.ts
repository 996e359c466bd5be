import { hex } from "./token.ts";

/** `com.example.one-a1b2c3d4e5f60708` (M-16). */
export function newSessionId(extensionId: string): string {
  return `${extensionId}-${hex(sessionWord())}${hex(sessionWord())}`;
}

const WORDS_AT_ONCE = 256;

/** Session ids are no secrets, and to ask for random bytes takes longer than all else that a hello needs. */
let words: Uint32Array | undefined;
let used = 0;

function sessionWord(): number {
  if (words === undefined || used === WORDS_AT_ONCE) {
    words = crypto.getRandomValues(new Uint32Array(WORDS_AT_ONCE));
    used = 0;
  }
  return words[used++] as number;
}
