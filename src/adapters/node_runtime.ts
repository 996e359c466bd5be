/** What the pipes of Node, Deno and Bun ask of their runtime, once. */

export const IS_BUN: boolean = "bun" in process.versions;

/** The global `process` is an accessor. */
export const nextTick: typeof process.nextTick = process.nextTick;
